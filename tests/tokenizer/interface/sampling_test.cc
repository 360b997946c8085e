#include "tokenizer/interface/sampling.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/sentencepiece/tiny_sentencepiece.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/bpe/tiktoken.h"
#include "tokenizer/byte_tokenizer.h"
#include "tokenizer/files/tokenizer_json.h"

namespace penstock {
namespace {

using testing::Cases;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Ids;
using testing::IsOk;
using testing::kInvalid;
using testing::kUnimplemented;
using testing::ParseTiny;
using testing::StatusIs;
using testing::TinyJson;
using testing::TinySentencePiece;
using testing::TinyTiktoken;
using IdRow = std::vector<TokenId>;
using TokenizerPtr = std::shared_ptr<const Tokenizer>;
using Type = SentencePieceModel::Type;

IdRow Sample(const Tokenizer& tokenizer, std::string_view text,
             const Sampling& sampling) {
  IdRow ids;
  EXPECT_THAT(tokenizer.EncodeSampled(text, {}, sampling, ids), IsOk());
  return ids;
}

// Draws with the seeds 0, 1, ...: so each run of the test is the same. Expects
// each count within five standard deviations, and nothing that has no
// probability.
void ExpectDrawn(const Tokenizer& tokenizer, std::string_view text,
                 Sampling sampling, const std::map<IdRow, double>& expected) {
  constexpr int kDraws = 20'000;
  std::map<IdRow, int> counts;
  for (int i = 0; i < kDraws; ++i) {
    sampling.seed = i;
    ++counts[Sample(tokenizer, text, sampling)];
  }
  double all = 0;
  for (const auto& [ids, probability] : expected) {
    all += probability;
    const double deviation =
        std::sqrt(kDraws * probability * (1 - probability));
    EXPECT_NEAR(counts[ids], kDraws * probability, 5 * deviation)
        << ::testing::PrintToString(ids);
    counts.erase(ids);
  }
  EXPECT_NEAR(all, 1, 1e-9);
  EXPECT_TRUE(counts.empty()) << ::testing::PrintToString(counts);
}

struct Way {
  float score;
  IdRow ids;
};

void ExpectBest(const Tokenizer& tokenizer, std::string_view text, size_t count,
                const std::vector<Way>& expected) {
  std::vector<ScoredIds> best;
  ASSERT_THAT(tokenizer.EncodeBest(text, {}, count, best), IsOk());
  ASSERT_EQ(best.size(), expected.size()) << text;
  for (size_t i = 0; i < best.size(); ++i) {
    EXPECT_EQ(best[i].ids, expected[i].ids) << text << ", " << i;
    EXPECT_EQ(best[i].score, expected[i].score) << text << ", " << i;
  }
}

// Expected: sentencepiece 0.2.3, NBestEncode(text, nbest_size=6).
TEST(SamplingTest, BestWaysAndScoresAreSentencePieces) {
  const auto tokenizer = ParseTiny({});
  ExpectBest(*tokenizer, "abab", 6,
             {{-10.0f, {8, 6}},
              {-10.0f, {3, 6, 6}},
              {-10.5f, {3, 9}},
              {-10.625f, {7, 5, 6}},
              {-12.125f, {3, 4, 5, 6}},
              {-12.125f, {8, 4, 5}}});
  ExpectBest(*tokenizer, "x foo é", 6,
             {{-30.299999237060547f, {3, 0, 3, 15, 3, 20}},
              {-48.900001525878906f, {3, 0, 3, 16, 0, 3, 20}},
              {-86.0f, {3, 0, 3, 0, 3, 20}}});
  ExpectBest(*tokenizer, "", 6, {{0.0f, {}}});
  const auto bytes = ParseTiny({.byte_fallback = true});
  ExpectBest(*bytes, "x foo é", 6,
             {{-30.299999237060547f, {3, 142, 3, 15, 3, 20}},
              {-48.900001525878906f, {3, 142, 3, 16, 133, 3, 20}},
              {-86.0f, {3, 142, 3, 124, 133, 133, 3, 20}}});
}

// Expected: sentencepiece 0.2.3 and 0.2.1, as above.
TEST(SamplingTest, ASymbolCountsByItsCharactersInTheBestWays) {
  const TinySentencePiece model = {
      .pieces = {{"<unk>", 0, SentencePiece::Type::kUnknown},
                 {"<s>", 0, SentencePiece::Type::kControl},
                 {"</s>", 0, SentencePiece::Type::kControl},
                 {"▁", -1},
                 {"a", -2},
                 {"日", -3},
                 {"本", -4},
                 {"日本語", 0, SentencePiece::Type::kUserDefined}}};
  ExpectBest(*ParseTiny(model), "a日本語", 6,
             {{-2.799999952316284f, {3, 4, 7}}, {-24.0f, {3, 4, 5, 6, 0}}});
  ExpectBest(*ParseTiny(model, UnigramRules::kUntil021), "a日本語", 6,
             {{-3.0999999046325684f, {3, 4, 7}}, {-24.0f, {3, 4, 5, 6, 0}}});
}

TEST(SamplingTest, LongRepeatsGiveAsManyWaysAsWereAskedFor) {
  std::string text;
  for (int i = 0; i < Cases(400); ++i) text += "abab ";
  std::vector<ScoredIds> best;
  const auto tokenizer = ParseTiny({});
  ASSERT_THAT(tokenizer->EncodeBest(text, {}, 300, best), IsOk());
  EXPECT_EQ(best.size(), 300);
  for (size_t i = 1; i < best.size(); ++i) {
    EXPECT_LE(best[i].score, best[i - 1].score);
  }
}

// The probabilities follow from all ways there are, of which "abab" has few.
TEST(SamplingTest, UnigramDrawsInProportionToScores) {
  const auto tokenizer = ParseTiny({});
  std::vector<ScoredIds> ways;
  ASSERT_THAT(tokenizer->EncodeBest("abab", {}, 512, ways), IsOk());
  ASSERT_GT(ways.size(), 6);
  for (const double alpha : {0.5, 0.0, -0.3}) {
    std::map<IdRow, double> expected;
    double sum = 0;
    for (const ScoredIds& way : ways) sum += std::exp(alpha * way.score);
    for (const ScoredIds& way : ways) {
      expected[way.ids] += std::exp(alpha * way.score) / sum;
    }
    ExpectDrawn(*tokenizer, "abab", {.alpha = alpha}, expected);
  }
}

TEST(SamplingTest, UnigramDrawsFromTheBestAloneIfAsked) {
  const auto tokenizer = ParseTiny({});
  // -10, -10 and -10.5, by the test of the best ways.
  const double third = std::exp(-0.2 * 0.5);
  ExpectDrawn(*tokenizer, "abab", {.alpha = 0.2, .best = 3},
              {{{8, 6}, 1 / (2 + third)},
               {{3, 6, 6}, 1 / (2 + third)},
               {{3, 9}, third / (2 + third)}});
  EXPECT_EQ(Sample(*tokenizer, "abab", {.seed = 5, .best = 1}),
            Ids(*tokenizer, "abab"));
}

// Hugging Face's rule: what is left out has its turn again after a merge. For
// "abab" with ab -> 256, chance p, the first of both ab left out: then the
// second merges, and the first is offered once more.
TEST(SamplingTest, ByteLevelDropoutHasTheProbabilitiesOfTheReference) {
  auto document = TinyJson({"ab"}, {"a b"});
  for (const bool fast : {true, false}) {
    // A normalizer other than NFC leads to the components.
    if (!fast) document["normalizer"] = {{"type", "NFD"}};
    const auto tokenizer = ParseTokenizerJson(document.dump(), "t.json");
    ASSERT_THAT(tokenizer, IsOk());
    ASSERT_EQ((*tokenizer)->Describe().starts_with("byte-level"), fast);
    for (const double p : {0.5, 0.1}) {
      const double q = 1 - p;
      ExpectDrawn(**tokenizer, "abab", {.alpha = p},
                  {{{256, 256}, q * q * (1 + p)},
                   {{256, 'a', 'b'}, q * p},
                   {{'a', 'b', 256}, q * p * p},
                   {{'a', 'b', 'a', 'b'}, p * p}});
    }
  }
}

TEST(SamplingTest, RankFilesHaveDropoutToo) {
  const auto tokenizer =
      ParseTiktoken(TinyTiktoken({"ab", "abab"}), "t.tiktoken", "gpt2");
  ASSERT_THAT(tokenizer, IsOk());
  EXPECT_THAT(Ids(**tokenizer, "abab"), ElementsAre(257));
  const double p = 0.25, q = 0.75;
  const double both = q * q * (1 + p);
  // "abab" merges behind both, if it is not left out.
  ExpectDrawn(**tokenizer, "abab", {.alpha = p},
              {{{257}, both * q},
               {{256, 256}, both * p},
               {{256, 'a', 'b'}, q * p},
               {{'a', 'b', 256}, q * p * p},
               {{'a', 'b', 'a', 'b'}, p * p}});
}

// A tokenizer.json with a Unigram; `more` is of its model.
TokenizerPtr HfUnigram(std::string_view vocab, std::string_view more = "") {
  const std::string file = fmt::format(
      R"({{"pre_tokenizer": {{"type": "WhitespaceSplit"}},
           "model": {{"type": "Unigram", "vocab": {}{}}}}})",
      vocab, more.empty() ? R"(, "unk_id": 0)" : more);
  auto tokenizer = ParseTokenizerJson(file, "t.json");
  EXPECT_THAT(tokenizer, IsOk());
  return tokenizer.ok() ? *tokenizer : nullptr;
}

TokenizerPtr TinyHfUnigram() {
  return HfUnigram(R"([["<unk>", 0], ["a", -1], ["b", -2], ["ab", -2.5],
                       ["aba", -3.3], ["ba", -2.6], ["xy", -2.625]])");
}

// Expected: what Hugging Face tokenizers 0.23.3 drew in 1,000,000 calls of
// Unigram.tokenize with this `alpha` and, as `best`, this `nbest_size`.
TEST(SamplingTest, HuggingFacesUnigramDrawsLikeTheReference) {
  const auto tokenizer = TinyHfUnigram();
  ExpectDrawn(*tokenizer, "abab", {.alpha = 0.5},
              {{{3, 3}, 0.191951},
               {{3, 1, 2}, 0.182847},
               {{4, 2}, 0.179730},
               {{1, 5, 2}, 0.154137},
               {{1, 2, 3}, 0.148681},
               {{1, 2, 1, 2}, 0.142654}});
  ExpectDrawn(*tokenizer, "abab", {.alpha = 2.0},
              {{{3, 3}, 0.466800},
               {{1, 2, 3}, 0.172640},
               {{4, 2}, 0.160698},
               {{1, 5, 2}, 0.087317},
               {{3, 1, 2}, 0.082226},
               {{1, 2, 1, 2}, 0.030319}});
  ExpectDrawn(*tokenizer, "abab", {.alpha = -0.3},
              {{{1, 2, 3}, 0.236668},
               {{3, 3}, 0.203052},
               {{1, 5, 2}, 0.153194},
               {{1, 2, 1, 2}, 0.143035},
               {{4, 2}, 0.140679},
               {{3, 1, 2}, 0.123372}});
  // "xyx" of three unknown characters is one.
  ExpectDrawn(*tokenizer, "axyxb", {.alpha = 0.1},
              {{{1, 6, 0, 2}, 0.909373}, {{1, 0, 2}, 0.090627}});
  ExpectDrawn(*tokenizer, "axyxb", {.alpha = 0.1, .best = 2},
              {{{1, 6, 0, 2}, 0.916552}, {{1, 0, 2}, 0.083448}});
}

// The third and the fourth best have equal scores, and one of them is taken.
TEST(SamplingTest, HuggingFacesUnigramDrawsFromTheBestAloneIfAsked) {
  const auto tokenizer = TinyHfUnigram();
  const double first = std::exp(0.5 * -5.0);
  const double second = std::exp(0.5 * -5.3);
  const double third = std::exp(0.5 * -5.5);
  const double all = first + second + third;
  std::map<IdRow, int> counts;
  for (int seed = 0; seed < 100; ++seed) {
    ++counts[Sample(
        *tokenizer, "abab",
        {.seed = static_cast<uint64_t>(seed), .alpha = 0.5, .best = 3})];
  }
  const IdRow tied =
      counts.contains({3, 1, 2}) ? IdRow{3, 1, 2} : IdRow{1, 2, 3};
  ExpectDrawn(
      *tokenizer, "abab", {.alpha = 0.5, .best = 3},
      {{{3, 3}, first / all}, {{4, 2}, second / all}, {tied, third / all}});
  // As in the reference, neither draws.
  for (const Sampling sampling :
       {Sampling{.seed = 3, .alpha = 0}, Sampling{.seed = 3, .best = 1}}) {
    EXPECT_EQ(Sample(*tokenizer, "ababab", sampling),
              Ids(*tokenizer, "ababab"));
  }
}

TEST(SamplingTest, EachPieceOfHuggingFacesUnigramDrawsForItself) {
  const auto words =
      HfUnigram(R"([["<unk>", 0], ["a", -1], ["b", -1], ["ab", -2]])");
  // Of two ways with equal scores each is drawn half of the time.
  ExpectDrawn(*words, "ab ab", {.alpha = 1.0},
              {{{3, 3}, 0.25},
               {{3, 1, 2}, 0.25},
               {{1, 2, 3}, 0.25},
               {{1, 2, 1, 2}, 0.25}});
}

TEST(SamplingTest, UnknownTextOfHuggingFacesUnigramIsBytesOrAnError) {
  constexpr std::string_view kVocab =
      R"([["<unk>", 0], ["a", -1], ["<0xC3>", -9], ["<0xA9>", -9]])";
  const auto bytes =
      HfUnigram(kVocab, R"(, "unk_id": 0, "byte_fallback": true)");
  EXPECT_THAT(Sample(*bytes, "aéa", {.alpha = 1.0}), ElementsAre(1, 2, 3, 1));
  EXPECT_THAT(Sample(*bytes, "aüa", {.alpha = 1.0}), ElementsAre(1, 0, 1));
  const auto without = HfUnigram(kVocab, R"(, "unk_id": null)");
  IdRow ids = {5};
  EXPECT_THAT(without->EncodeSampled("aba", {}, {.alpha = 1.0}, ids),
              StatusIs(kInvalid, HasSubstr("no unknown token")));
  EXPECT_THAT(ids, ElementsAre(5));
  EXPECT_THAT(Sample(*without, "aa", {.alpha = -1.0}), ElementsAre(1, 1));
}

// The sum of two such scores is no number that a float or a double holds.
TEST(SamplingTest, SumsThatOverflowLoseNoText) {
  const auto sentencepiece =
      ParseTiny({.add_dummy_prefix = false,
                 .pieces = {{"<unk>", 0, SentencePiece::Type::kUnknown},
                            {"a", -3e38f},
                            {"b", -3e38f}}});
  const auto hugging_face =
      HfUnigram(R"([["a", -1e308], ["b", -1e308]])", R"(, "unk_id": null)");
  for (const size_t best : {0, 2}) {
    EXPECT_THAT(Sample(*sentencepiece, "abab", {.alpha = 0.5, .best = best}),
                ElementsAre(1, 2, 1, 2));
    EXPECT_THAT(Sample(*hugging_face, "abab", {.alpha = 0.5, .best = best}),
                ElementsAre(0, 1, 0, 1));
  }
}

// Without an unknown token nothing leads to the place behind "x", where "ab"
// begins. By the reference's rule, as above.
TEST(SamplingTest, NoWayLeadsOverAPlaceThatNoneReaches) {
  const auto tokenizer = HfUnigram(
      R"([["xa", -1], ["b", -2], ["xab", -2.5], ["ab", -1], ["bb", -3]])",
      R"(, "unk_id": null)");
  const double alpha = -0.3;
  const double at_2 = alpha * -1;
  const double b_to_3 = std::exp(at_2 + alpha * -2);
  const double xab_to_3 = std::exp(alpha * -2.5);
  const double at_3 = std::log(std::exp(alpha * (at_2 - 2)) + xab_to_3);
  const double b_to_4 = std::exp(at_3 + alpha * -2);
  const double bb_to_4 = std::exp(at_2 + alpha * -3);
  const double by_b = b_to_4 / (b_to_4 + bb_to_4);
  const double by_xab = xab_to_3 / (b_to_3 + xab_to_3);
  ExpectDrawn(*tokenizer, "xabb", {.alpha = alpha},
              {{{0, 1, 1}, by_b * (1 - by_xab)},
               {{2, 1}, by_b * by_xab},
               {{0, 4}, 1 - by_b}});
}

// SentencePiece's rule: what is left out stays so.
TEST(SamplingTest, SentencePieceDropoutLeavesOutForGood) {
  const auto tokenizer =
      ParseTiny({.type = Type::kBpe,
                 .add_dummy_prefix = false,
                 .pieces = {{"<unk>", 0, SentencePiece::Type::kUnknown},
                            {"a", -2},
                            {"b", -3},
                            {"ab", -1}}});
  const double p = 0.3, q = 0.7;
  ExpectDrawn(*tokenizer, "abab", {.alpha = p},
              {{{3, 3}, q * q},
               {{3, 1, 2}, q * p},
               {{1, 2, 3}, p * q},
               {{1, 2, 1, 2}, p * p}});
}

TEST(SamplingTest, DropoutOfZeroAndOneAreEncodeAndNoMerges) {
  auto document = TinyJson({"ab", "aba", "abab"}, {"a b", "ab a", "ab ab"});
  document["model"]["ignore_merges"] = true;
  const auto tokenizer = *ParseTokenizerJson(document.dump(), "t.json");
  const std::string text = "abab ab aba";
  EXPECT_EQ(Sample(*tokenizer, text, {.alpha = 0}), Ids(*tokenizer, text));
  EXPECT_EQ(Sample(*tokenizer, text, {.alpha = 1}),
            IdRow(text.begin(), text.end()));
}

TEST(SamplingTest, TheFilesDropoutIsTheDefaultAndEncodeHasNone) {
  auto document = TinyJson({"ab"}, {"a b"});
  const auto without = *ParseTokenizerJson(document.dump(), "t.json");
  document["model"]["dropout"] = 1.0;
  const auto with = *ParseTokenizerJson(document.dump(), "t.json");
  EXPECT_THAT(Ids(*with, "ab"), ElementsAre(256));
  EXPECT_THAT(Sample(*with, "ab", {}), ElementsAre('a', 'b'));
  EXPECT_THAT(Sample(*with, "ab", {.alpha = 0}), ElementsAre(256));
  ExpectDrawn(*without, "ab", {}, {{{256}, 0.9}, {{'a', 'b'}, 0.1}});
}

TEST(SamplingTest, ASeedGivesTheSameIdsAndEachTextItsOwnDraws) {
  const auto tokenizer = ParseTiny({});
  const Sampling sampling = {.seed = 7, .alpha = 0.1};
  size_t alike = 0;
  for (int i = 0; i < 100; ++i) {
    // What stands before does not change how many ways "abab" has.
    const std::string text = std::string(i, '-') + " abab";
    const IdRow ids = Sample(*tokenizer, text, sampling);
    EXPECT_EQ(Sample(*tokenizer, text, sampling), ids);
    alike += ids.size() >= 2 && ids[ids.size() - 2] == 8 && ids.back() == 6;
  }
  EXPECT_GT(alike, 3);
  EXPECT_LT(alike, 70);
}

TEST(SamplingTest, WhatIsNotThereIsNamed) {
  IdRow ids;
  std::vector<ScoredIds> best;
  const ByteTokenizer bytes;
  EXPECT_THAT(bytes.EncodeSampled("a", {}, {}, ids),
              StatusIs(kUnimplemented, HasSubstr("one way to segment")));
  EXPECT_THAT(bytes.EncodeBest("a", {}, 2, best),
              StatusIs(kUnimplemented, HasSubstr("SentencePiece unigram has")));
  const auto words = ParseTiny({.type = Type::kWord});
  EXPECT_THAT(words->EncodeSampled("a", {}, {}, ids),
              StatusIs(kUnimplemented, HasSubstr("one way to segment")));
  const auto bpe = ParseTiny({.type = Type::kBpe});
  EXPECT_THAT(bpe->EncodeBest("a", {}, 2, best),
              StatusIs(kUnimplemented, HasSubstr("unigram has")));
  EXPECT_THAT(bpe->EncodeSampled("a", {}, {.alpha = 1.5}, ids),
              StatusIs(kInvalid, HasSubstr("alpha is 1.5")));
  const auto unigram = ParseTiny({});
  EXPECT_THAT(unigram->EncodeBest("a", {}, 0, best),
              StatusIs(kInvalid, HasSubstr("choose 1 to 512")));
  EXPECT_THAT(unigram->EncodeSampled("a", {}, {.best = 513}, ids),
              StatusIs(kInvalid, HasSubstr("choose 0 to 512")));
  EXPECT_THAT(unigram->EncodeSampled("a", {}, {.alpha = std::nan("")}, ids),
              StatusIs(kInvalid, HasSubstr("give a number")));
  const auto hugging_face = TinyHfUnigram();
  EXPECT_THAT(hugging_face->EncodeSampled("a", {}, {.best = 513}, ids),
              StatusIs(kInvalid, HasSubstr("choose 0 to 512")));
  EXPECT_THAT(
      hugging_face->EncodeSampled("a", {}, {.alpha = std::nan("")}, ids),
      StatusIs(kInvalid, HasSubstr("give a number")));
  EXPECT_THAT(hugging_face->EncodeBest("a", {}, 2, best),
              StatusIs(kUnimplemented, HasSubstr("SentencePiece unigram has")));
  const auto word_level = *ParseTokenizerJson(
      R"({"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}})",
      "t.json");
  EXPECT_THAT(word_level->EncodeSampled("a", {}, {}, ids),
              StatusIs(kUnimplemented, HasSubstr("BPE and Unigram have it")));
  EXPECT_TRUE(ids.empty());
}

}  // namespace
}  // namespace penstock
