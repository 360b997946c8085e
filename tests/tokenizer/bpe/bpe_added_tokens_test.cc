// Added tokens that byte-level BPE looks for behind NFC, as files of GPT-NeoX
// have their runs of spaces: the components must agree, which
// hf_vectors_test.cc compares with the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/files/tokenizer_json.h"
#include "tokenizer/interface/encoding.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

using nlohmann::json;
using testing::AddedTokenJson;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Ids;
using testing::StatusIs;
using TokenizerPtr = std::shared_ptr<const Tokenizer>;

json Normalized(std::string_view content, TokenId id, bool special = false) {
  json token = AddedTokenJson(content, id);
  token["normalized"] = true;
  token["special"] = special;
  return token;
}

json WithTokens(std::vector<json> tokens) {
  json document =
      testing::TinyJson({"th", "the", "\u0120the", "\u0120\u0120"},
                        {"t h", "th e", "\u0120 the", "\u0120 \u0120"});
  document["normalizer"] = {{"type", "NFC"}};
  document["added_tokens"] = tokens;
  return document;
}

TokenizerPtr Load(const json& document) {
  auto tokenizer = ParseTokenizerJson(document.dump(), "tokens.json");
  EXPECT_OK(tokenizer);
  return *tokenizer;
}

bool IsFast(const Tokenizer& tokenizer) {
  return tokenizer.Describe().starts_with("byte-level BPE");
}

// A sequence of normalizers leads to the components.
TokenizerPtr LoadComponents(json document) {
  document["normalizer"] = {{"type", "Sequence"},
                            {"normalizers", {{{"type", "NFC"}}}}};
  return Load(document);
}

void ExpectSameEncoding(const Tokenizer& one, const Tokenizer& other,
                        std::string_view text) {
  ASSERT_OK_AND_ASSIGN(const Encoding ours, EncodeFully(one, {text}));
  ASSERT_OK_AND_ASSIGN(const Encoding theirs, EncodeFully(other, {text}));
  ASSERT_EQ(ours.ids, theirs.ids) << text;
  ASSERT_EQ(ours.origins, theirs.origins) << text;
  ASSERT_EQ(ours.surfaces == nullptr, theirs.surfaces == nullptr) << text;
  if (ours.surfaces != nullptr) {
    ASSERT_EQ(*ours.surfaces, *theirs.surfaces) << text;
  }
}

// Tokens with flags drawn by `random`.
std::vector<json> DrawTokens(std::mt19937& random) {
  const char* flags[] = {"single_word", "lstrip", "rstrip", "normalized",
                         "special"};
  std::vector<json> tokens;
  for (const char* content :
       {"<raw>", "   ", "  ", "\u00e9t", "<n>", "h\u1e0d", "w>", "the", "\n"}) {
    tokens.push_back(
        AddedTokenJson(content, 260 + static_cast<TokenId>(tokens.size())));
    for (const char* flag : flags) tokens.back()[flag] = random() % 3 == 0;
  }
  return tokens;
}

const char* const kParts[] = {"<raw>",
                              " ",
                              "  ",
                              "e\u0301",
                              "t",
                              "h",
                              "the",
                              "<n>",
                              "d\u0323\u0307",
                              "d\u0307\u0323",
                              "\u00e9",
                              "e",
                              "<",
                              " the",
                              "\u0301",
                              "w>",
                              "\n",
                              "\t",
                              "\u3000",
                              "\u1100\u1161\u11a8",
                              "_",
                              "1",
                              "n>",
                              "\u212b",
                              "\u1e0d",
                              "\xff",
                              "\xa9",
                              "\xe3",
                              "r"};

std::string DrawText(std::mt19937& random) {
  std::string text;
  for (int n = random() % 9; n > 0; --n) {
    text += kParts[random() % std::size(kParts)];
  }
  return text;
}

TEST(BpeAddedTokensTest, ComponentsAgree) {
  std::mt19937 random(1);
  size_t found = 0;
  for (int drawn = 0; drawn < 60; ++drawn) {
    json document = WithTokens(DrawTokens(random));
    document["pre_tokenizer"]["add_prefix_space"] = drawn % 2 == 1;
    const TokenizerPtr fast = Load(document);
    const TokenizerPtr slow = LoadComponents(document);
    ASSERT_TRUE(IsFast(*fast));
    ASSERT_FALSE(IsFast(*slow));
    for (int i = 0; i < 600; ++i) {
      const std::string text = DrawText(random);
      for (const auto special : {SpecialText::kAllow, SpecialText::kAsText}) {
        const auto ids = Ids(*fast, text, {.special_text = special});
        for (const TokenId id : ids) found += id >= 260;
        // The components give each error as one U+FFFD.
        if (!IsValidUtf8(text)) continue;
        ASSERT_EQ(ids, Ids(*slow, text, {.special_text = special}))
            << text << document["added_tokens"];
      }
      if (IsValidUtf8(text)) ExpectSameEncoding(*fast, *slow, text);
    }
  }
  EXPECT_GT(found, 20000u);
}

TEST(BpeAddedTokensTest, BytesThatAreNoTextAreNeitherSpaceNorOfAWord) {
  json word = AddedTokenJson("tok", 260);
  word["single_word"] = word["lstrip"] = word["rstrip"] = true;
  json document = WithTokens({word});
  document["normalizer"] = nullptr;
  const TokenizerPtr tokenizer = Load(document);
  for (const char* text :
       {"\xff tok \xe3\x80", "\x80 tok\t\xff", "\xe3tok\xa9"}) {
    EXPECT_THAT(Ids(*tokenizer, text), ::testing::Contains(260)) << text;
    EXPECT_THAT(Ids(*tokenizer, text), ::testing::Not(::testing::Contains(' ')))
        << text;
  }
  // The last two bytes of U+3000, without the first.
  EXPECT_THAT(Ids(*tokenizer, "\x80\x80tok"), ElementsAre(0x80, 0x80, 260));
  EXPECT_THAT(Ids(*tokenizer, "\u3000tok"), ElementsAre(260));
  // Behind a character that is whole without it.
  EXPECT_THAT(Ids(*tokenizer, " \x80tok"), ElementsAre(' ', 0x80, 260));
  EXPECT_THAT(Ids(*tokenizer, "b\x80tok"), ElementsAre('b', 0x80, 260));
  EXPECT_THAT(Ids(*tokenizer, "\u00e9tok"),
              ::testing::Not(::testing::Contains(260)));
}

TEST(BpeAddedTokensTest, RefusedTokenIsNamedWhereTheUserHasIt) {
  const TokenizerPtr tokenizer = Load(
      WithTokens({AddedTokenJson("<raw>", 260), Normalized("<n>", 261, true)}));
  ASSERT_TRUE(IsFast(*tokenizer));
  std::vector<TokenId> ids;
  const auto refused = [&](const char* text) {
    return tokenizer->Encode(text, {.special_text = SpecialText::kRefuse}, ids);
  };
  // Of e\u0301, three bytes, NFC leaves two.
  EXPECT_THAT(
      refused("e\u0301e\u0301 <n>"),
      StatusIs(StatusCode::kInvalidArgument, HasSubstr("\"<n>\" at offset 7")));
  EXPECT_THAT(refused("the <n>"), StatusIs(StatusCode::kInvalidArgument,
                                           HasSubstr("\"<n>\" at offset 4")));
  EXPECT_THAT(refused("e\u0301 <raw>"),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("\"<raw>\" at offset 4")));
  EXPECT_THAT(ids, ElementsAre());
}

TEST(BpeAddedTokensTest, TokenThatNfcChangesIsLookedForAsItBecomes) {
  json document = WithTokens({Normalized("e\u0301", 260)});
  EXPECT_FALSE(IsFast(*Load(document)));
  EXPECT_THAT(Ids(*Load(document), "\u00e9"), ElementsAre(260));
  document["normalizer"] = nullptr;
  EXPECT_TRUE(IsFast(*Load(document)));
}

// Whether `document` cuts at all: its tokens may have to see what is behind.
size_t CutOf(const std::vector<json>& tokens, std::string_view text) {
  return Load(WithTokens(tokens))->SafeCut(text);
}

TEST(BpeAddedTokensTest, TextIsCutBehindLettersWhereNoTokenCanTell) {
  const std::string_view text = "the other <raw> day, the \u00e9t day";
  json raw = AddedTokenJson("<raw>", 260);
  EXPECT_EQ(CutOf({raw, Normalized("  ", 261)}, text), text.size() - 4);
  for (const char* token : {"\u00e9t day", "a", "\u0301!"}) {
    EXPECT_EQ(CutOf({Normalized(token, 260)}, text), 0u) << token;
  }
  raw["lstrip"] = true;
  EXPECT_EQ(CutOf({raw}, text), text.size() - 4);
  for (const char* flag : {"rstrip", "single_word"}) {
    raw[flag] = true;
    EXPECT_EQ(CutOf({raw}, text), 0u) << flag;
    raw[flag] = false;
  }
}

}  // namespace
}  // namespace penstock
