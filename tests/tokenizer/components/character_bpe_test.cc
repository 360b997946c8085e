// BPE over characters, of which a piece is a whole text: Llama 2, Gemma.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/components/words.h"

namespace penstock {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::kInvalid;
using testing::ParseWords;
using testing::StatusIs;
using testing::WordsWith;

// Merges of letters, of the space's stand-in behind none, of characters of
// three bytes; some tokens no merges make.
json CharacterBpe(bool with_bytes, const json& changes) {
  std::vector<std::string> tokens = {"?", "[X]", "\u2581", "a",  "b", "c",
                                     "d", "e",   "日",     "本", "語"};
  json merges = json::array();
  const auto merge = [&](const char* left, const char* right) {
    merges.push_back({left, right});
    tokens.push_back(std::string(left) + right);
  };
  merge("a", "a");
  merge("b", "c");
  merge("\u2581", "b");
  merge("\u2581", "bc");
  merge("aa", "aa");
  merge("d", "e");
  merge("aaaa", "de");
  merge("\u2581", "\u2581");
  merge("日", "本");
  merge("日本", "語");
  merge("c", "b");  // with b and c no place in bcbcbc is a cut
  tokens.push_back("ea");
  tokens.push_back("\u2581abcde");
  // Of bytes, in one case alone.
  tokens.push_back("<0xC3><0xA9>");
  tokens.push_back("<0xA9>a");
  json vocabulary = json::object();
  for (const std::string& token : tokens) {
    const size_t id = vocabulary.size();
    vocabulary[token] = id;
  }
  for (int byte = 0; byte < 256; ++byte) {
    // Those of é alone are left where not all are there.
    if (!with_bytes && byte != 0xc3 && byte != 0xa9) continue;
    const size_t id = vocabulary.size();
    vocabulary[fmt::format("<0x{:02X}>", byte)] = id;
  }
  json model = {{"type", "BPE"},
                {"unk_token", "?"},
                {"byte_fallback", with_bytes},
                {"vocab", vocabulary},
                {"merges", merges}};
  model.update(changes);
  return model;
}

json FileOf(const json& model) {
  return WordsWith(
      "/model", model,
      WordsWith("/normalizer", nullptr, WordsWith("/pre_tokenizer", nullptr)));
}

std::string TextOf(uint32_t& state) {
  constexpr std::string_view kParts[] = {"a",
                                         "b",
                                         "c",
                                         "d",
                                         "e",
                                         "\u2581",
                                         "\u2581b",
                                         "\u2581bc",
                                         "aaaa",
                                         "de",
                                         "日",
                                         "日本",
                                         "語",
                                         "é",
                                         "éé",
                                         "中",
                                         "x",
                                         "[X]",
                                         "bcbcbcbcbcbcbcbcbcbcbc"};
  const auto draw = [&](size_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  // Some texts have but few of these, and long parts of one letter.
  std::string text;
  const size_t kinds = 1 + draw(std::size(kParts));
  const size_t size = draw(400);
  while (text.size() < size) {
    text += draw(30) == 0 ? std::string(draw(100), 'a') : kParts[draw(kinds)];
  }
  return text;
}

TEST(CharacterBpeTest, PartsOfATextAreEncodedAsTheWhole) {
  const std::vector<std::pair<bool, json>> models = {
      {true, {{"fuse_unk", true}}},
      {true, {{"fuse_unk", true}, {"ignore_merges", true}}},
      {false, {{"fuse_unk", false}}},
      {false, {{"fuse_unk", true}}},
      {false, {{"unk_token", nullptr}}},
      {false, {{"unk_token", nullptr}, {"fuse_unk", true}}},
      // Some bytes have no token, so that unknown text comes behind others.
      {false, {{"byte_fallback", true}}},
      {false, {{"byte_fallback", true}, {"fuse_unk", true}}},
      {false, {{"continuing_subword_prefix", "a"}, {"merges", json::array()}}},
      {false, {{"end_of_word_suffix", "c"}, {"merges", json::array()}}},
      // A byte that merges stands for what it does not spell.
      {true, {{"merges", {"<0xA9> a", "<0xC3> <0xA9>"}}}}};
  for (const auto& [with_bytes, changes] : models) {
    SCOPED_TRACE(changes.dump());
    ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                         ParseWords(FileOf(CharacterBpe(with_bytes, changes))));
    uint32_t state = 11;
    for (int i = 0; i < testing::Cases(600); ++i) {
      const std::string text = TextOf(state);
      // Who asks for origins has the whole text merged at once.
      std::vector<TokenId> whole, parts, again;
      std::vector<TokenOrigin> origins;
      ASSERT_OK(tokenizer->EncodeWithOrigins(text, {}, whole, origins));
      ASSERT_OK(tokenizer->Encode(text, {}, parts));
      ASSERT_OK(tokenizer->Encode(text, {}, again));
      ASSERT_EQ(parts, whole) << text;
      ASSERT_EQ(again, whole) << text;
      if (i % 100 == 0) tokenizer->ForgetTexts();
    }
  }
}

TEST(CharacterBpeTest, NothingIsLeftOfATextThatHasNoTokens) {
  json model = CharacterBpe(/*with_bytes=*/false, {{"unk_token", "none"}});
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseWords(FileOf(model)));
  std::vector<TokenId> ids = {7};
  EXPECT_THAT(tokenizer->Encode(std::string(300, 'a') + "xyz", {}, ids),
              StatusIs(kInvalid, HasSubstr("\"none\"")));
  EXPECT_EQ(ids, std::vector<TokenId>{7});
}

TEST(CharacterBpeTest, OnlyTheFirstPieceOfATextIsPrefixed) {
  json file = FileOf(CharacterBpe(/*with_bytes=*/true, {{"fuse_unk", true}}));
  file["pre_tokenizer"] = {{"type", "Metaspace"},
                           {"replacement", "\u2581"},
                           {"prepend_scheme", "first"},
                           {"split", false}};
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseWords(file));
  const auto expect = [&](std::string_view text) {
    std::vector<TokenId> whole, parts;
    std::vector<TokenOrigin> origins;
    ASSERT_OK(tokenizer->EncodeWithOrigins(text, {}, whole, origins));
    ASSERT_OK(tokenizer->Encode(text, {}, parts));
    EXPECT_EQ(parts, whole) << text;
  };
  for (const char* text :
       {"b", "b[X]b", "[X]b", " b[X] b", "[X][X]bc", "\u2581b", "b\u2581b"}) {
    expect(text);
  }
  uint32_t state = 5;
  for (int i = 0; i < testing::Cases(300); ++i) {
    std::string text = TextOf(state);
    for (char& c : text) {
      if (c == 'e') c = ' ';
    }
    expect(text);
  }
}

// Of 8 MB, which are many short parts or one that is long, little is kept.
TEST(CharacterBpeTest, ALongTextLeavesLittleBehind) {
  const json model = CharacterBpe(/*with_bytes=*/true, {{"fuse_unk", true}});
  for (const std::string_view part : {"\u2581bcd", "a"}) {
    std::string text;
    while (text.size() < 8'000'000) text += part;
    ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseWords(FileOf(model)));
    const auto before = mallinfo2();
    {
      std::vector<TokenId> ids;
      ASSERT_OK(tokenizer->Encode(text, {}, ids));
    }
    const auto after = mallinfo2();
    EXPECT_LE(after.uordblks + after.hblkhd - before.uordblks - before.hblkhd,
              size_t{2} << 20)
        << part;
  }
}

// More pieces than are looked up at once, some longer than a table's key, some
// of many ids, most of which come again.
TEST(CharacterBpeTest, PiecesAreRememberedHoweverTheyAreCut) {
  const json metaspace = {{"type", "Metaspace"},
                          {"replacement", "\u2581"},
                          {"prepend_scheme", "always"},
                          {"split", true}};
  const json spaces = {{"type", "WhitespaceSplit"}};
  std::string text;
  uint32_t state = 9;
  for (int i = 0; i < 5000; ++i) {
    state = state * 1664525 + 1013904223;
    const size_t size = (state >> 16) % 40;
    text += std::string(size, "abcde"[state >> 29 & 3]);
    text += i % 700 == 0 ? std::string(5000, 'd') : "日本";
    text += i % 50 == 0 ? "[X]" : " ";
  }
  for (const json& cuts : {metaspace, spaces}) {
    json file = FileOf(CharacterBpe(/*with_bytes=*/true, {{"fuse_unk", true}}));
    file["pre_tokenizer"] = cuts;
    ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseWords(file));
    std::vector<TokenId> whole;
    std::vector<TokenOrigin> origins;
    ASSERT_OK(tokenizer->EncodeWithOrigins(text, {}, whole, origins));
    for (int pass = 0; pass < 3; ++pass) {
      std::vector<TokenId> ids;
      ASSERT_OK(tokenizer->Encode(text, {}, ids));
      EXPECT_EQ(ids, whole);
    }
  }
}

}  // namespace
}  // namespace penstock
