// Text is cut before spaces where normalizer and splitter cannot tell, and ids
// are remembered of parts. Where origins are asked for it is not cut.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/components/words.h"
#include "tests/tokenizer/sentencepiece/tiny_sentencepiece.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/interface/stream_encoder.h"
#include "tokenizer/normalizers/text_normalizers.h"
#include "tokenizer/splitters/space_cutter.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

using nlohmann::json;
using testing::Cases;
using ::testing::ElementsAre;
using testing::Ids;
using testing::ParseWords;
using testing::Words;
using testing::WordsWith;

json Precompiled(const testing::Rules& rules) {
  return {
      {"type", "Precompiled"},
      {"precompiled_charsmap", testing::Base64(testing::TinyCharsmap(rules))}};
}

json Sequence(const char* field, std::vector<json> steps) {
  return {{"type", "Sequence"}, {field, steps}};
}

json Replace(const char* kind, const char* pattern, const char* content) {
  return {{"type", "Replace"},
          {"pattern", {{kind, pattern}}},
          {"content", content}};
}

// A line feed becomes a space, some characters nothing, some two.
json SomePrecompiled() {
  return Precompiled({{"\n", " "},
                      {"\u200b", ""},
                      {"\ufb01", "fi"},
                      {"e\u0301", "\u00e9"},
                      {"\u3042", " \u30a2"},
                      {"A", "a "}});
}

// More than 64 bytes.
constexpr std::string_view kLong =
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

const json kJoins = Replace("Regex", " {2,}", " ");

json Metaspace() {
  return {{"type", "Metaspace"},
          {"replacement", "\u2581"},
          {"prepend_scheme", "always"},
          {"split", true}};
}

// Each character a piece, some of them two.
json UnigramOfParts() {
  json vocabulary = json::array({json::array({"<unk>", 0})});
  for (const char* piece :
       {"\u2581", "a", "b", "f", "i", "\u00e9", "e", "\u65e5", "\u2581a", "ab",
        "\u2581\u2581", "`", "\n", " ", "\u30a2"}) {
    const double score = -1.0 - 0.1 * static_cast<double>(vocabulary.size());
    vocabulary.push_back(json::array({piece, score}));
  }
  return {{"type", "Unigram"}, {"unk_id", 0}, {"vocab", vocabulary}};
}

const char* const kParts[] = {
    " ",      " ",   " ",  "  ",     "\n",      "\n",     "\r\n",   "\t",
    "a",      "b",   "ab", "A",      "e\u0301", "e",      "\u0301", "\u200b",
    "\ufb01", "`",   "``", "\u3042", "\u65e5",  "\u00a0", "\u0600", "\uac00",
    "\u11a8", "[X]", "i",  "\u200d", "\u2581",  "\u3000"};

std::string DrawText(std::mt19937& random) {
  std::vector<std::string_view> parts;
  const size_t kinds = 3 + random() % 12;
  while (parts.size() < kinds) {
    parts.push_back(kParts[random() % std::size(kParts)]);
  }
  std::string text;
  const size_t size = random() % 150;
  while (text.size() < size) text += parts[random() % parts.size()];
  return text;
}

// The characters of UnigramOfParts, and merges beside another.
json BpeOfParts(const char* left = "a", const char* right = "b") {
  json vocabulary = json::object();
  const auto add = [&](const std::string& token) {
    vocabulary.emplace(token, vocabulary.size());
  };
  for (const char* token : {"<unk>", "\u2581", "a", "b", "f", "i", "\u00e9",
                            "e", "\u65e5", "`", "\n", " ", "\u30a2"}) {
    add(token);
  }
  json merges = json::array();
  const auto merge = [&](const std::string& one, const std::string& other) {
    if (vocabulary.contains(one + other)) return;
    merges.push_back(json::array({one, other}));
    add(one + other);
  };
  merge("a", "b");
  merge("\u2581", "a");
  merge("\u2581", "ab");
  merge("\u2581", "\u2581");
  merge("\n", "\n");
  merge(left, right);
  return {{"type", "BPE"},
          {"unk_token", "<unk>"},
          {"vocab", vocabulary},
          {"merges", merges}};
}

struct Kind {
  json normalizer;
  json splitter;
  bool cuts;  // behind "ab"
  json model = UnigramOfParts();
};

std::vector<Kind> Kinds() {
  const json whitespace = {{"type", "WhitespaceSplit"}};
  const json both = Sequence("pretokenizers", {whitespace, Metaspace()});
  const json map = SomePrecompiled();
  const json albert = Sequence("normalizers", {Replace("String", "``", "ab"),
                                               {{"type", "NFKD"}},
                                               {{"type", "StripAccents"}},
                                               {{"type", "Lowercase"}},
                                               map});
  json first = Metaspace();
  first["prepend_scheme"] = "first";
  json whole = Metaspace();
  // As transformers writes them.
  const json right = {
      {"type", "Strip"}, {"strip_left", false}, {"strip_right", true}};
  const json bars = Replace("Regex", " {2,}", "\u2581");
  whole["split"] = false;
  return {
      {nullptr, Metaspace(), true},
      {nullptr, whitespace, true},
      {map, Metaspace(), true},
      {map, both, true},
      {map, whitespace, true},
      {Sequence("normalizers", {map, kJoins}), Metaspace(), true},
      {Sequence("normalizers", {kJoins, map, kJoins}), both, true},
      {albert, Metaspace(), true},
      {{{"type", "NFC"}}, Metaspace(), true},
      {Sequence("normalizers", {{{"type", "Nmt"}}, {{"type", "NFKC"}}, kJoins}),
       Metaspace(), true},
      {{{"type", "Lowercase"}},
       {{"type", "CharDelimiterSplit"}, {"delimiter", " "}},
       true},
      {Sequence("normalizers", {map, right, bars}), Metaspace(), true},
      {Sequence("normalizers", {map, right, bars}), first, true},
      {map, first, true},
      {nullptr, first, true},
      {Sequence("normalizers", {bars, map}), Metaspace(), false},
      {Sequence("normalizers", {map, right, bars}), both, false},
      {{{"type", "Prepend"}, {"prepend", "a"}}, Metaspace(), true},
      {Sequence("normalizers",
                {{{"type", "Prepend"}, {"prepend", " "}}, map, kJoins}),
       Metaspace(), true},
      // What is before a space may become one, or nothing.
      {Sequence("normalizers", {Replace("String", "``", " "), kJoins}),
       Metaspace(), true},
      {Sequence("normalizers", {{{"type", "StripAccents"}}, kJoins}),
       Metaspace(), true},
      {Precompiled({{"\n", "a"}}), Metaspace(), true},
      // A space, or what begins with one, may become something else.
      {Precompiled({{" ", "a"}}), Metaspace(), false},
      {Precompiled({{" \u0301", "b"}}), Metaspace(), false},
      {Replace("String", "i", kLong.data()), Metaspace(), false},
      {Replace("String", "a b", "a"), Metaspace(), false},
      {Replace("String", " e", "b"), Metaspace(), false},
      {Replace("Regex", " b", "a"), Metaspace(), false},
      {Replace("Regex", " {2,}", "ab"), Metaspace(), false},
      {{{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}},
       Metaspace(),
       false},
      {Sequence("normalizers", {bars, {{"type", "Prepend"}, {"prepend", "a"}}}),
       Metaspace(), false},
      {map, whole, false},
      // Each part could become as much as a text may.
      {Precompiled({{"\u3042", kLong}}), Metaspace(), false},
  };
}

std::shared_ptr<const Tokenizer> Make(const Kind& kind) {
  json document = WordsWith("/normalizer", kind.normalizer);
  document["pre_tokenizer"] = kind.splitter;
  document["model"] = kind.model;
  const auto tokenizer = ParseWords(document);
  EXPECT_OK(tokenizer) << document;
  return *tokenizer;
}

// Text is one piece, as in files of Gemma and Mistral, and cut where the model
// joins nothing.
std::vector<Kind> JoinedKinds() {
  const json bars = Replace("String", " ", "\u2581");
  json split = {{"type", "Split"},
                {"pattern", {{"String", " "}}},
                {"behavior", "MergedWithPrevious"},
                {"invert", false}};
  json inverted = split;
  inverted["invert"] = true;
  json metaspace = Metaspace();
  metaspace["split"] = false;
  json first = metaspace;
  first["prepend_scheme"] = "first";
  json whole = BpeOfParts();
  whole["ignore_merges"] = true;
  json fused = BpeOfParts();
  fused["fuse_unk"] = true;
  const json prepend = Sequence(
      "normalizers", {{{"type", "Prepend"}, {"prepend", "\u2581"}}, bars});
  return {
      {bars, split, true, BpeOfParts()},
      {bars, nullptr, true, BpeOfParts()},
      {nullptr, nullptr, true, BpeOfParts()},
      {nullptr, split, true, BpeOfParts()},
      {nullptr, metaspace, true, BpeOfParts()},
      {nullptr, first, true, BpeOfParts()},
      {SomePrecompiled(), first, true, BpeOfParts()},
      {Sequence("normalizers", {SomePrecompiled(), kJoins}), metaspace, true,
       BpeOfParts()},
      {Replace("Regex", " {2,}", "\u2581"), split, true, BpeOfParts()},
      {prepend, nullptr, true, BpeOfParts()},
      {{{"type", "Prepend"}, {"prepend", "ab"}}, split, true, BpeOfParts()},
      // Merges reach over.
      {bars, inverted, false, BpeOfParts()},
      {bars, split, false, BpeOfParts("b", "\u2581")},
      {nullptr, split, false, BpeOfParts("b", " ")},
      {Replace("Regex", " {2,}", "\u2581"), nullptr, false,
       BpeOfParts("b", " ")},
      {nullptr, metaspace, false, BpeOfParts("ab", "\u2581a")},
      {bars, split, false, whole},
      {bars, split, false, fused},
      {bars, split, false, UnigramOfParts()},
      {Replace("String", " ", "ab"), split, false, BpeOfParts()},
      {Replace("String", " ", ""), split, false, BpeOfParts()},
      {Replace("String", " ", "b"), metaspace, false, BpeOfParts()},
  };
}

std::vector<Kind> AllKinds() {
  std::vector<Kind> kinds = Kinds();
  for (const Kind& kind : JoinedKinds()) kinds.push_back(kind);
  return kinds;
}

TEST(SpacePartsTest, IdsOfPartsAreThoseOfTheWholeText) {
  for (const Kind& kind : AllKinds()) {
    const auto tokenizer = Make(kind);
    std::mt19937 random(5);
    for (int i = 0; i < Cases(1500); ++i) {
      const std::string text = DrawText(random);
      std::vector<TokenId> ids;
      std::vector<TokenOrigin> origins;
      ASSERT_OK(tokenizer->EncodeWithOrigins(text, {}, ids, origins));
      ASSERT_EQ(Ids(*tokenizer, text), ids)
          << ::testing::PrintToString(text) << kind.normalizer << kind.splitter;
    }
  }
}

TEST(SpacePartsTest, LongTextsHaveTheIdsOfTheWhole) {
  std::mt19937 random(9);
  std::string text;
  while (text.size() < 100000) text += DrawText(random);
  const std::string long_word(40000, 'a');
  for (const Kind& kind : AllKinds()) {
    const auto tokenizer = Make(kind);
    for (const std::string& all : {text, text + long_word + text}) {
      std::vector<TokenId> ids;
      std::vector<TokenOrigin> origins;
      ASSERT_OK(tokenizer->EncodeWithOrigins(all, {}, ids, origins));
      ASSERT_EQ(Ids(*tokenizer, all), ids) << kind.normalizer << kind.splitter;
    }
  }
}

// Streams and threads cut where SafeCut says.
TEST(SpacePartsTest, TextIsCutBeforeSpacesWhateverFollows) {
  for (const Kind& kind : AllKinds()) {
    const auto tokenizer = Make(kind);
    EXPECT_EQ(tokenizer->SafeCut("ab ab b"), kind.cuts ? 5u : 0u)
        << kind.normalizer << kind.splitter;
    std::mt19937 random(6);
    for (int i = 0; i < Cases(300); ++i) {
      std::string text = DrawText(random);
      for (int n = random() % 4; n > 0 && !text.empty(); --n) {
        // Not UTF-8, or what makes other characters of some.
        text[random() % text.size()] = "\xff\xe3\xa9\xf0 "[random() % 5];
      }
      size_t size = text.empty() ? 0 : random() % text.size();
      const size_t cut =
          tokenizer->SafeCut(std::string_view(text).substr(0, size));
      if (cut == 0) continue;
      ASSERT_LT(cut, size);
      std::vector<TokenId> ids = Ids(*tokenizer, text.substr(0, cut));
      const std::string_view rest = std::string_view(text).substr(cut);
      const size_t first = ids.size();
      ASSERT_OK(tokenizer->Encode(rest, {.begins_text = false}, ids));
      if (IsValidUtf8(rest)) {
        std::vector<TokenId> same;
        std::vector<TokenOrigin> origins;
        ASSERT_OK(tokenizer->EncodeWithOrigins(rest, {.begins_text = false},
                                               same, origins));
        EXPECT_TRUE(std::ranges::equal(std::span(ids).subspan(first), same));
      }
      ASSERT_EQ(ids, Ids(*tokenizer, text))
          << ::testing::PrintToString(text) << " at " << cut << kind.normalizer
          << kind.splitter;
    }
  }
}

TEST(SpacePartsTest, StreamsHoldLittleMoreThanTheLastWord) {
  std::string words;
  for (int i = 0; i < 5000; ++i) words += "ab ab\u65e5 b \u00e9\n";
  for (const Kind& kind : AllKinds()) {
    if (!kind.cuts) continue;
    const auto tokenizer = Make(kind);
    StreamEncoder encoder(*tokenizer);
    std::vector<TokenId> ids;
    for (size_t at = 0; at < words.size(); at += 100) {
      ASSERT_OK(encoder.Add(std::string_view(words).substr(at, 100), ids));
      ASSERT_LT(encoder.held_bytes(), 200u) << kind.normalizer << kind.splitter;
    }
    ASSERT_OK(encoder.Finish(ids));
    EXPECT_EQ(ids, Ids(*tokenizer, words)) << kind.normalizer << kind.splitter;
  }
}

bool Always(uint32_t, uint32_t) { return true; }

std::vector<size_t> Split(const SpaceCutter& cutter, std::string_view text,
                          size_t at_once) {
  std::vector<size_t> all;
  std::vector<size_t> ends(at_once);
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t count = cutter.Split(text, begin, ends);
    EXPECT_GT(count, 0u);
    all.insert(all.end(), ends.begin(), ends.begin() + count);
    begin = ends[count - 1];
    EXPECT_EQ(count < at_once || begin == text.size(), begin == text.size());
  }
  return all;
}

TEST(SpaceCutterTest, PartsBeginWithSpacesBehindOtherCharacters) {
  const SpaceCutter cutter(nullptr, Always);
  EXPECT_THAT(Split(cutter, "ab  c d\n e ", 10), ElementsAre(2, 5, 8, 10, 11));
  EXPECT_THAT(Split(cutter, " a", 10), ElementsAre(2));
  EXPECT_THAT(Split(cutter, "\u00e9 \u65e5 ", 10), ElementsAre(2, 6, 7));
  const NmtNormalizer nmt;
  EXPECT_THAT(Split(SpaceCutter(&nmt, Always), "ab\nc\r\n d\u200b e", 10),
              ElementsAre(2, 13));
}

TEST(SpaceCutterTest, PlacesAreTheSameHoweverManyAreWantedAtOnce) {
  const SpaceCutter cutter(nullptr, Always);
  std::mt19937 random(8);
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (size_t n = random() % 400; n > 0; --n) {
      text += random() % 4 == 0 ? " " : random() % 9 == 0 ? "\u00e9" : "a";
    }
    const auto all = Split(cutter, text, 1000);
    for (const size_t at_once : {1, 2, 3, 64}) {
      ASSERT_EQ(Split(cutter, text, at_once), all) << text;
    }
    std::vector<size_t> expected;
    for (size_t at = 1; at < text.size(); ++at) {
      if (text[at] == ' ' && text[at - 1] != ' ') expected.push_back(at);
    }
    if (!text.empty()) expected.push_back(text.size());
    ASSERT_EQ(all, expected) << text;
  }
}

}  // namespace
}  // namespace penstock
