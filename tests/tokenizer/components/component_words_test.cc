// Behind BERT's components ids are remembered of words as the text has them.
// Where origins are asked for nothing is: the text is worked on as a whole.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/components/words.h"
#include "tests/tokenizer/tiny_vocabulary.h"

namespace penstock {
namespace {

using nlohmann::json;
using testing::Cases;
using ::testing::HasSubstr;
using testing::Ids;
using testing::kInvalid;
using testing::ParseWords;
using testing::StatusIs;
using testing::Words;
using testing::WordsWith;

// Spaces, controls, marks of several classes, characters that become others,
// Han, what is set apart and what only looks so.
constexpr std::string_view kWordParts[] = {
    " ",       " ",          " ",          "  ",        "\n",     "\t",
    "\r",      "\v",         "\f",         "\x01",      "\x7f",   "a",
    "bc",      "B",          "Ab",         "1",         "23",     ".",
    ",",       "'",          "$",          "[X]",       "[",      "_",
    "e\u0301", "\u0301",     "\u0327",     "\u0903",    "\u20dd", "\u00e9",
    "\u00c9",  "\u0130",     "\u00df",     "\u03a3",    "\u65e5", "\u672c",
    "\uf900",  "\u304b",     "\ud55c",     "\u1100",    "\u1161", "\u00a0",
    "\u2000",  "\u2003",     "\u3000",     "\u2019",    "\u3001", "\u037e",
    "\u2260",  "\u1fef",     "\u0085",     "\u00ad",    "\u200d", "\ufffd",
    "\u2028",  "\U0001f600", "\U00020000", "\U0002fa1d"};

// Tokens for each character that comes of them, so that few words are unknown.
json WordPieceOfParts() {
  json vocabulary = {{"?", 0}, {"[X]", 1}};
  const auto add = [&](const std::string& token) {
    if (!vocabulary.contains(token)) vocabulary[token] = vocabulary.size();
  };
  std::vector<std::string> tokens = {
      "a", "b",      "c",      "e",      "i",      "ab",     "=",     ";",
      "`", "\u03c3", "\u8c48", "\u0338", "\u1112", "\u11ab", "\u0307"};
  for (const std::string_view part : kWordParts) {
    tokens.emplace_back(part);
  }
  for (const std::string& token : tokens) {
    add(token);
    add("##" + token);
  }
  return {{"type", "WordPiece"},
          {"unk_token", "?"},
          {"continuing_subword_prefix", "##"},
          {"max_input_chars_per_word", 8},
          {"vocab", vocabulary}};
}

std::string DrawnWords(std::mt19937& random) {
  // Some texts have few kinds of parts, so that words come again.
  std::vector<std::string_view> parts;
  const size_t kinds = 3 + random() % 20;
  while (parts.size() < kinds) {
    parts.push_back(kWordParts[random() % std::size(kWordParts)]);
  }
  std::string text;
  const size_t size = random() % 200;
  while (text.size() < size) text += parts[random() % parts.size()];
  return text;
}

void ExpectWordsAsTheWhole(const json& normalizer) {
  json document = WordsWith("/model", WordPieceOfParts());
  document["normalizer"] = normalizer;
  document["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseWords(document));
  std::mt19937 random(7);
  for (int i = 0; i < Cases(4000); ++i) {
    const std::string text = DrawnWords(random);
    std::vector<TokenId> ids;
    std::vector<TokenOrigin> origins;
    ASSERT_OK(tokenizer->EncodeWithOrigins(text, {}, ids, origins));
    ASSERT_EQ(Ids(*tokenizer, text), ids)
        << ::testing::PrintToString(text) << " behind " << normalizer;
  }
}

TEST(ComponentWordsTest, IdsOfWordsAreThoseOfTheWholeText) {
  for (const int flags : {15, 14, 13, 11, 7, 0, 9, 4, 2}) {
    ExpectWordsAsTheWhole({{"type", "BertNormalizer"},
                           {"clean_text", (flags & 1) != 0},
                           {"handle_chinese_chars", (flags & 2) != 0},
                           {"strip_accents", (flags & 4) != 0},
                           {"lowercase", (flags & 8) != 0}});
  }
}

TEST(ComponentWordsTest, NoNormalizerIsAllTheSame) {
  ExpectWordsAsTheWhole(nullptr);
}

TEST(ComponentWordsTest, AWordThatHasNoIdsIsNotRemembered) {
  json document = WordsWith("/pre_tokenizer", {{"type", "BertPreTokenizer"}});
  document["normalizer"] = nullptr;
  document["model"]["unk_token"] = "none";
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseWords(document));
  for (int i = 0; i < 2; ++i) {
    std::vector<TokenId> ids = {7};
    EXPECT_THAT(tokenizer->Encode("a a\u2019b b", {}, ids),
                StatusIs(kInvalid, HasSubstr("\"none\"")));
    EXPECT_EQ(ids, std::vector<TokenId>{7});
  }
  EXPECT_EQ(Ids(*tokenizer, "a b a"), (std::vector<TokenId>{2, 3, 2}));
}

TEST(ComponentWordsTest, ForgottenWordsHaveTheSameIds) {
  json document = WordsWith("/model", WordPieceOfParts());
  document["normalizer"] = nullptr;
  document["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseWords(document));
  const std::vector<TokenId> ids = Ids(*tokenizer, "abc ab.abc");
  tokenizer->ForgetTexts();
  EXPECT_EQ(Ids(*tokenizer, "abc ab.abc"), ids);
}

}  // namespace
}  // namespace penstock
