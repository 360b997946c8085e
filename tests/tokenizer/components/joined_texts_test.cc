// Gemma's kind of file: lines between added tokens go to the model together.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/components/words.h"
#include "tokenizer/interface/sampling.h"

namespace penstock {
namespace {

using nlohmann::json;
using testing::Cases;
using testing::ParseWords;
using testing::WordsWith;

const json kReplace = {
    {"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "\u2581"}};
const json kSplit = {{"type", "Split"},
                     {"pattern", {{"String", " "}}},
                     {"behavior", "MergedWithPrevious"},
                     {"invert", false}};

// Merges within words and of spaces, and, `across`, from a letter to a space.
json Model(bool across) {
  json vocabulary = json::object();
  const auto add = [&](const std::string& token) {
    vocabulary.emplace(token, vocabulary.size());
  };
  for (const char* token : {"?", "[X]", "\u2581", "a", "b", "c", "d", " ", "\n",
                            "\u65e5", "\u672c"}) {
    add(token);
  }
  json merges = json::array();
  const auto merge = [&](const char* left, const char* right) {
    merges.push_back(json::array({left, right}));
    add(std::string(left) + right);
  };
  merge("a", "b");
  merge("\u2581", "ab");
  merge("ab", "cd");
  merge("c", "d");
  merge("\u2581", "\u2581");
  merge("\u65e5", "\u672c");
  merge("\n", "\n");
  merge(" ", "b");
  if (across) merge("d", "\u2581");
  return {{"type", "BPE"},
          {"unk_token", "?"},
          {"vocab", vocabulary},
          {"merges", merges}};
}

// Line feeds by one, two and four, one that takes the spaces around it, one
// that stands alone, and [X], which is special; "d ab" in normalized text.
json AddedTokens(bool with_normalized) {
  json added = Words()["added_tokens"];
  const auto add = [&](const char* content, bool strips, bool alone) {
    added.push_back({{"id", 100 + added.size()},
                     {"content", content},
                     {"single_word", alone},
                     {"lstrip", strips},
                     {"rstrip", strips},
                     {"normalized", false},
                     {"special", false}});
  };
  add("\n", false, false);
  add("\n\n", false, false);
  add("\n\n\n\n", false, false);
  add("<s>", true, false);
  add("<w>", false, true);
  if (with_normalized) {
    add("d ab", false, false);
    added.back()["normalized"] = true;
  }
  return added;
}

struct Kind {
  json normalizer, splitter;
  bool across;
  bool has_normalized = false;
};

std::shared_ptr<const Tokenizer> Make(const Kind& kind) {
  json file = WordsWith("/model", Model(kind.across));
  file["normalizer"] = kind.normalizer;
  file["pre_tokenizer"] = kind.splitter;
  file["added_tokens"] = AddedTokens(kind.has_normalized);
  return ParseWords(file).value();
}

std::vector<Kind> Kinds() {
  json removes = kReplace, doubles = kReplace, others = kReplace;
  removes["content"] = "";
  doubles["content"] = "  ";
  others["pattern"] = {{"String", "a"}};
  return {{kReplace, nullptr, false}, {kReplace, kSplit, false},
          {kReplace, kSplit, true},   {nullptr, nullptr, false},
          {nullptr, kSplit, false},   {removes, nullptr, false},
          {doubles, kSplit, false},   {others, kSplit, false},
          {others, nullptr, true},    {kReplace, kSplit, false, true}};
}

std::string Draw(std::mt19937& random, size_t size) {
  constexpr std::string_view kParts[] = {
      "a",   "b",      "ab",  "abcd", " ",
      " ab", "  ",     "\n",  "\n",   "\n\n\n",
      "<s>", " <s> ",  "<w>", "[X]",  "\u65e5\u672c",
      "x",   "\u00e9", "cd ", "d d",  "abcdabcdab abcdabcd"};
  std::string text;
  const size_t kinds = 1 + random() % std::size(kParts);
  while (text.size() < size) {
    text += kParts[random() % (random() % 4 == 0 ? std::size(kParts) : kinds)];
  }
  return text;
}

// Who asks for origins is given text by text, and nothing remembered.
void ExpectIdsOfEachText(const Tokenizer& tokenizer, const std::string& text,
                         SpecialText special) {
  const EncodeOptions options = {.special_text = special};
  std::vector<TokenId> each, joined, again;
  std::vector<TokenOrigin> origins;
  const Status status =
      tokenizer.EncodeWithOrigins(text, options, each, origins);
  ASSERT_EQ(tokenizer.Encode(text, options, joined), status);
  ASSERT_EQ(tokenizer.Encode(text, options, again), status);
  ASSERT_EQ(joined, each) << ::testing::PrintToString(text);
  ASSERT_EQ(again, each) << ::testing::PrintToString(text);
}

TEST(JoinedTextsTest, IdsAreThoseOfEachTextBetweenTokens) {
  for (const Kind& kind : Kinds()) {
    SCOPED_TRACE(kind.normalizer.dump() + kind.splitter.dump());
    const auto tokenizer = Make(kind);
    std::mt19937 random(3);
    for (int i = 0; i < Cases(500); ++i) {
      const std::string text = Draw(random, random() % 300);
      for (const SpecialText special :
           {SpecialText::kAllow, SpecialText::kAsText, SpecialText::kRefuse}) {
        ExpectIdsOfEachText(*tokenizer, text, special);
      }
      if (i % 100 == 0) tokenizer->ForgetTexts();
    }
  }
}

// Once there are 16 KiB, or 4,096 tokens, the model is given them.
TEST(JoinedTextsTest, NothingIsLostWhereMuchStandsBehindOneAnother) {
  constexpr size_t kChunk = 16 << 10, kTokens = 4096;
  std::vector<std::string> texts;
  for (const size_t more : {0, 1, 2, 3, 4, 5}) {
    const size_t size = kChunk - 3 + more;
    texts.push_back(std::string(size, 'a') + "\nab\n");
    texts.push_back(std::string(size, 'a') + " ab\n ab");
    texts.push_back(std::string(size / 3, ' ') + "\nab\n" + "ab");
    texts.push_back("ab\n" + std::string(2 * size, ' ') + "ab <s>cd");
    std::string lines;
    while (lines.size() < size) lines += "ab ab\n";
    texts.push_back(lines + std::string(size, 'b') + lines);
    std::string tokens = "ab";
    for (size_t i = 0; i < kTokens - 3 + more; ++i) tokens += "[X]";
    texts.push_back(tokens + "ab" + tokens);
  }
  std::mt19937 random(4);
  for (int i = 0; i < 20; ++i) texts.push_back(Draw(random, 50'000));
  for (const Kind& kind : Kinds()) {
    SCOPED_TRACE(kind.normalizer.dump() + kind.splitter.dump());
    const auto tokenizer = Make(kind);
    for (const std::string& text : texts) {
      ExpectIdsOfEachText(*tokenizer, text, SpecialText::kAllow);
    }
  }
}

// With nothing merged, however often it was seen merged.
TEST(JoinedTextsTest, WhatIsDrawnIsDrawn) {
  const auto tokenizer = Make({kReplace, kSplit, false});
  std::vector<TokenId> merged, drawn, characters;
  ASSERT_OK(tokenizer->Encode("abcd\nabcd", {}, merged));
  ASSERT_OK(tokenizer->EncodeSampled("abcd\nabcd", {}, Sampling{.alpha = 1.0},
                                     drawn));
  for (const char* c : {"a", "b", "c", "d", "\n", "a", "b", "c", "d"}) {
    ASSERT_OK(tokenizer->Encode(c, {}, characters));
  }
  EXPECT_EQ(merged.size(), 3u);
  EXPECT_EQ(drawn, characters);
}

}  // namespace
}  // namespace penstock
