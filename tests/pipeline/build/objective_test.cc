// Objectives: what is drawn is right in number and in kind, and the same
// wherever it is drawn.
#include "pipeline/objective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "pipeline/build/fill_in_middle.h"
#include "pipeline/graph/noise_spans.h"
#include "tests/pipeline/build/placed_rows.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename Objective>
Dataset Learn(Objective objective, int64_t length) {
  return Dataset::TfRecords("a")
      .Parse({{.name = "tokens"}})
      .Objective(std::move(objective))
      .Bucket({.by = "tokens", .lengths = {length}})
      .Batch({.size = 1});
}

// Records of `length` tokens each, none like another.
std::vector<std::vector<int64_t>> Records(size_t count, size_t length,
                                          int64_t first = 1000) {
  std::vector<std::vector<int64_t>> records(count);
  for (auto& record : records) {
    record.resize(length);
    std::iota(record.begin(), record.end(), first);
    first += static_cast<int64_t>(length);
  }
  return records;
}

// Whether `found` of `of` draws with probability `part` is within 4 standard
// deviations. Draws are fixed, so it is so always or never.
void ExpectPart(int64_t found, int64_t of, double part) {
  const double mean = static_cast<double>(of) * part;
  EXPECT_NEAR(static_cast<double>(found), mean,
              4 * std::sqrt(mean * (1 - part)));
}

MaskedLm Masked() { return {.seed = 5, .mask_id = 103, .vocabulary = 30522}; }

TEST(MaskedLmTest, AFifteenthOfTokensIsChosenAndEightOfTenAreMasked) {
  constexpr size_t kRecords = 400;
  constexpr size_t kLength = 250;
  const auto records = Records(kRecords, kLength, 100'000);
  PlacedRows rows(Learn(Masked(), kLength + 2), records);
  rows.AddRecords(kRecords);
  rows.Placed();
  int64_t chosen = 0;
  int64_t masked = 0;
  int64_t same = 0;
  int64_t low_random = 0;
  for (size_t r = 0; r < kRecords; ++r) {
    const auto tokens = rows.Row<int32_t>("tokens", r);
    const auto labels = rows.Row<int32_t>("tokens_labels", r);
    const auto weights = rows.Row<float>("tokens_loss_weights", r);
    for (size_t i = 0; i < tokens.size(); ++i) {
      const bool is_chosen = labels[i] != -100;
      ASSERT_EQ(weights[i], is_chosen ? 1 : 0);
      if (i >= kLength) {
        ASSERT_FALSE(is_chosen);
        ASSERT_EQ(tokens[i], 0);
        continue;
      }
      const auto was = static_cast<int32_t>(records[r][i]);
      if (!is_chosen) {
        ASSERT_EQ(tokens[i], was);
        continue;
      }
      ASSERT_EQ(labels[i], was);
      ++chosen;
      if (tokens[i] == 103) {
        ++masked;
      } else if (tokens[i] == was) {
        ++same;
      } else {
        ASSERT_LT(tokens[i], 30522);
        low_random += tokens[i] < 30522 / 2 ? 1 : 0;
      }
    }
  }
  ExpectPart(chosen, kRecords * kLength, 0.15);
  ExpectPart(masked, chosen, 0.8);
  ExpectPart(same, chosen, 0.1);
  ExpectPart(low_random, chosen - masked - same, 0.5);
}

TEST(MaskedLmTest, WholeWordsAreChosenTogether) {
  MaskedLm options = Masked();
  options.vocabulary = 40'000;
  options.random_part = 0;
  options.mask_part = 1;
  options.never = {0};
  // Every third token begins a word.
  options.word_starts.resize(40'000);
  for (size_t i = 0; i < 40'000; i += 3) options.word_starts[i] = true;
  constexpr size_t kRecords = 100;
  const auto records = Records(kRecords, 300, 0);
  PlacedRows rows(Learn(options, 300), records);
  rows.AddRecords(kRecords);
  rows.Placed();
  int64_t words = 0;
  for (size_t r = 0; r < kRecords; ++r) {
    const auto tokens = rows.Row<int32_t>("tokens", r);
    for (size_t i = 0; i < 300; i += 3) {
      const auto is = [&](size_t at) { return tokens[at] == 103; };
      if (r == 0 && i == 0) {
        EXPECT_FALSE(is(0));  // never
        continue;
      }
      ASSERT_EQ(is(i), is(i + 1));
      ASSERT_EQ(is(i), is(i + 2));
      words += is(i) ? 1 : 0;
    }
  }
  ExpectPart(words, kRecords * 100, 0.15);
}

TEST(MaskedLmTest, CutsOfARecordChangeNoChoice) {
  MaskedLm options = Masked();
  options.word_starts.resize(30522);
  for (size_t i = 0; i < 30522; i += 4) options.word_starts[i] = true;
  PlacedRows rows(Learn(options, 100), Records(1, 100));
  rows.AddRecord(0);
  // In the middle of words.
  rows.AddRow({{.begin = 0, .length = 33, .place = 0},
               {.begin = 33, .length = 41, .place = 33},
               {.begin = 74, .length = 26, .place = 74}});
  rows.Placed();
  EXPECT_EQ(rows.Row<int32_t>("tokens", 0), rows.Row<int32_t>("tokens", 1));
  EXPECT_EQ(rows.Row<int32_t>("tokens_labels", 0),
            rows.Row<int32_t>("tokens_labels", 1));
}

TEST(MaskedLmTest, EpochSeedDataAndRecordEachDrawAnew) {
  std::vector<std::vector<int64_t>> same(2, Records(1, 200)[0]);
  MaskedLm other_seed = Masked();
  ++other_seed.seed;
  std::set<std::vector<int32_t>> seen;
  for (const MaskedLm& options : {Masked(), other_seed}) {
    PlacedRows rows(Learn(options, 200), same);
    rows.AddRecords(2);
    for (const uint64_t epoch : {0, 1}) {
      for (const uint64_t dataset : {1, 2}) {
        rows.Placed(epoch, dataset);
        for (const size_t row : {0, 1}) {
          seen.insert(rows.Row<int32_t>("tokens_labels", row));
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), 16u);
}

TEST(PrefixLmTest, PrefixesHaveEveryLengthAndOnlyTheRestIsLearned) {
  constexpr size_t kRecords = 900;
  PlacedRows rows(Learn(PrefixLm{.seed = 2}, 12), Records(kRecords, 10));
  rows.AddRecords(kRecords);
  rows.Placed();
  std::map<int64_t, int64_t> lengths;
  for (size_t r = 0; r < kRecords; ++r) {
    const auto prefix = rows.Row<uint8_t>("tokens_prefix", r);
    const auto weights = rows.Row<float>("tokens_loss_weights", r);
    const auto labels = rows.Row<int32_t>("tokens_labels", r);
    const auto length = std::count(prefix.begin(), prefix.end(), 1);
    ++lengths[length];
    for (int64_t i = 0; i < 12; ++i) {
      const auto at = static_cast<size_t>(i);
      ASSERT_EQ(prefix[at], i < length ? 1 : 0);
      ASSERT_EQ(weights[at], i + 1 >= length && i < 9 ? 1 : 0);
      ASSERT_EQ(labels[at] == -100, i >= 9);
    }
  }
  EXPECT_EQ(lengths.size(), 9u);
  for (const auto& [length, count] : lengths) {
    EXPECT_THAT(length, AllOf(::testing::Ge(1), ::testing::Le(9)));
    ExpectPart(count, kRecords, 1.0 / 9);
  }
}

TEST(PrefixLmTest, PiecesOfOneAndNoTokenHaveNothingToLearn) {
  PlacedRows rows(Learn(PrefixLm{}, 3), {{5}, {}});
  rows.AddRecords(2);
  rows.Placed();
  EXPECT_THAT(rows.Row<uint8_t>("tokens_prefix", 0), ElementsAre(1, 0, 0));
  EXPECT_THAT(rows.Row<float>("tokens_loss_weights", 0), ElementsAre(0, 0, 0));
  EXPECT_THAT(rows.Row<uint8_t>("tokens_prefix", 1), ElementsAre(0, 0, 0));
}

constexpr int32_t kPre = 1;
constexpr int32_t kMid = 2;
constexpr int32_t kSuf = 3;

TEST(FillInMiddleTest, PiecesAreRearrangedAsThePaperSays) {
  const FillInMiddle options = {
      .seed = 3, .prefix_id = kPre, .middle_id = kMid, .suffix_id = kSuf};
  constexpr size_t kRecords = 2000;
  constexpr size_t kLength = 40;
  const auto records = Records(kRecords, kLength);
  PlacedRows rows(Learn(options, kLength + 1), records);
  rows.AddRecords(kRecords);
  rows.Placed();
  const FillInMiddleWriter writer(options, 1);
  int64_t plain = 0;
  int64_t too_short = 0;
  int64_t spm = 0;
  for (size_t r = 0; r < kRecords; ++r) {
    const MiddleCut cut = writer.CutOf(r, 0, 0, kLength);
    const std::vector<int64_t>& was = records[r];
    std::vector<int32_t> expected;
    const auto part = [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        expected.push_back(static_cast<int32_t>(was[i]));
      }
    };
    if (!cut.rearranged) {
      part(0, kLength);
      if (cut.second == 0) {
        ++plain;
      } else {
        ++too_short;
      }
    } else if (cut.suffix_first) {
      expected = {kPre, kSuf};
      part(cut.second, kLength - 3);
      expected.push_back(kMid);
      part(0, cut.second);
      ++spm;
    } else {
      expected = {kPre};
      part(0, cut.first);
      expected.push_back(kSuf);
      part(cut.second, kLength - 3);
      expected.push_back(kMid);
      part(cut.first, cut.second);
    }
    expected.push_back(0);
    ASSERT_EQ(rows.Row<int32_t>("tokens", r), expected);
    // What follows the last token is no continuation, rearranged or not.
    std::vector<int32_t> labels(expected.begin() + 1, expected.end());
    labels.back() = -100;
    labels.push_back(-100);
    ASSERT_EQ(rows.Row<int32_t>("tokens_labels", r), labels);
  }
  ExpectPart(plain, kRecords, 0.5);
  // The larger of two numbers up to 40 is above 36.
  ExpectPart(too_short, kRecords, 0.5 * (1 - 37.0 * 37 / (41 * 41)));
  ExpectPart(spm, kRecords - plain - too_short, 0.5);
}

// Published by the tests of T5's preprocessors: how many tokens make 64 inputs
// at a density of 0.2, and how many targets these have.
TEST(SpanCorruptionTest, LengthsAreThoseThatT5Publishes) {
  struct Published {
    int64_t inputs;
    double density;
    double mean_length;
    int64_t tokens;
    int64_t targets;
  };
  const Published table[] = {
      {64, 0.2, 2, 70, 22}, {64, 0.2, 1, 63, 27}, {512, 0.15, 3, 568, 114}};
  for (const Published& row : table) {
    const SpanCorruption options = {
        .density = row.density, .mean_length = row.mean_length, .eos = 1};
    EXPECT_LE(CountNoise(options, row.tokens).inputs, row.inputs);
    EXPECT_GT(CountNoise(options, row.tokens + 1).inputs, row.inputs);
    EXPECT_EQ(CountNoise(options, row.tokens).targets, row.targets);
  }
  // test_random_spans_noise_mask: 4 spans with 8 tokens of 32.
  const SpanCorruption quarter = {.density = 0.25, .mean_length = 2};
  EXPECT_EQ(CountNoise(quarter, 32).noise, 8);
  EXPECT_EQ(CountNoise(quarter, 32).spans, 4);
}

TEST(SpanCorruptionTest, LengthsNeverFallAndNeverDegenerate) {
  for (const double density : {0.01, 0.15, 0.5, 0.9}) {
    for (const double mean : {1.0, 3.0, 40.0}) {
      const SpanCorruption options = {.density = density, .mean_length = mean};
      NoiseCounts last;
      for (int64_t length = 0; length < 700; ++length) {
        const NoiseCounts counts = CountNoise(options, length);
        ASSERT_GE(counts.inputs, last.inputs) << length;
        ASSERT_GE(counts.targets, last.targets) << length;
        if (length >= 2) {
          ASSERT_GE(counts.spans, 1);
          ASSERT_GE(counts.noise, counts.spans);
          ASSERT_GE(length - counts.noise, counts.spans);
        }
        last = counts;
      }
    }
  }
}

constexpr int64_t kSentinel = 32099;

// Puts what was left out back in.
std::vector<int64_t> Restored(const std::vector<int32_t>& inputs,
                              const std::vector<int32_t>& targets) {
  std::vector<int64_t> tokens;
  size_t t = 0;
  for (const int32_t input : inputs) {
    if (input > 32000) {
      EXPECT_EQ(targets[t], input);
      for (++t; t < targets.size() && targets[t] <= 32000; ++t) {
        tokens.push_back(targets[t]);
      }
      continue;
    }
    tokens.push_back(input);
  }
  EXPECT_EQ(t, targets.size());
  return tokens;
}

TEST(SpanCorruptionTest, InputsAndTargetsTogetherAreTheRecord) {
  std::vector<std::vector<int64_t>> records;
  for (size_t length = 2; length < 100; ++length) {
    records.push_back(Records(1, length)[0]);
  }
  PlacedRows rows(
      Learn(SpanCorruption{.seed = 1, .sentinel = kSentinel, .eos = 1}, 100),
      records);
  rows.AddRecords(records.size());
  rows.AddRow({});
  rows.Placed();
  EXPECT_EQ(rows.contract().Find("tokens"), nullptr);
  EXPECT_EQ(rows.Find("tokens_inputs").shape[1], 91);
  EXPECT_EQ(rows.Find("tokens_targets").shape[1], 21);
  for (size_t r = 0; r < records.size(); ++r) {
    auto inputs = rows.Row<int32_t>("tokens_inputs", r);
    auto targets = rows.Row<int32_t>("tokens_targets", r);
    const int32_t input = rows.Row<int32_t>("tokens_inputs_lengths", r)[0];
    const int32_t target = rows.Row<int32_t>("tokens_targets_lengths", r)[0];
    for (auto [values, length] :
         {std::pair(&inputs, input), std::pair(&targets, target)}) {
      for (auto i = static_cast<size_t>(length); i < values->size(); ++i) {
        ASSERT_EQ((*values)[i], 0);
      }
      values->resize(static_cast<size_t>(length));
      ASSERT_EQ(values->back(), 1);
      values->pop_back();
    }
    EXPECT_EQ(inputs[0], records[r][0]);  // a span that stays comes first
    ASSERT_EQ(targets[0], kSentinel);
    EXPECT_EQ(Restored(inputs, targets), records[r]);
  }
  EXPECT_EQ(rows.Row<int32_t>("tokens_inputs_lengths", records.size())[0], 0);
}

TEST(SpanCorruptionTest, ShortRecordsAreWhatT5MakesOfThem) {
  PlacedRows rows(Learn(SpanCorruption{.sentinel = kSentinel, .eos = 1}, 2),
                  {{}, {7}, {7, 8}});
  rows.AddRecords(3);
  rows.Placed();
  EXPECT_THAT(rows.Row<int32_t>("tokens_inputs", 0), ElementsAre(1, 0, 0));
  EXPECT_THAT(rows.Row<int32_t>("tokens_targets", 0), ElementsAre(1, 0, 0));
  EXPECT_THAT(rows.Row<int32_t>("tokens_inputs", 1), ElementsAre(7, 1, 0));
  EXPECT_THAT(rows.Row<int32_t>("tokens_targets", 1),
              ElementsAre(kSentinel, 1, 0));
  EXPECT_THAT(rows.Row<int32_t>("tokens_inputs", 2),
              ElementsAre(7, kSentinel, 1));
  EXPECT_THAT(rows.Row<int32_t>("tokens_targets", 2),
              ElementsAre(kSentinel, 8, 1));
}

// 8 tokens, 4 of them left out in 2 spans: 3 ways to cut those that stay and 3
// to cut those that go.
TEST(SpanCorruptionTest, AllMasksAreEquallyLikely) {
  constexpr size_t kRecords = 9000;
  PlacedRows rows(Learn(SpanCorruption{.density = 0.5,
                                       .mean_length = 2,
                                       .sentinel = kSentinel},
                        8),
                  Records(kRecords, 8, 80'000));
  rows.AddRecords(kRecords);
  rows.Placed();
  std::map<std::vector<int32_t>, int64_t> masks;
  for (size_t r = 0; r < kRecords; ++r) {
    auto inputs = rows.Row<int32_t>("tokens_inputs", r);
    for (int32_t& token : inputs) token = token < 80'000 ? -1 : token % 8;
    ++masks[inputs];
  }
  EXPECT_EQ(masks.size(), 9u);
  for (const auto& [mask, count] : masks) ExpectPart(count, kRecords, 1.0 / 9);
}

TEST(SpanCorruptionTest, ValuesThatDoNotFitAndSharedRowsAreErrors) {
  PlacedRows rows(Learn(SpanCorruption{.sentinel = kSentinel}, 8),
                  {{1, 2, 3, int64_t{1} << 40, 5}, {1}});
  rows.AddRecord(0);
  EXPECT_THAT(rows.Place(),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("record 0: value 3"),
                             HasSubstr("1099511627776"), HasSubstr("int32"))));
  PlacedRows shared(Learn(SpanCorruption{.sentinel = kSentinel}, 8),
                    {{1}, {2}});
  shared.AddRow({{.length = 1}, {.record = 1, .length = 1, .place = 1}});
  EXPECT_THAT(shared.Place(), StatusIs(StatusCode::kInvalidArgument,
                                       HasSubstr("leave out Pack")));
}

template <typename Objective>
void ExpectRefused(Objective objective, const std::string& words) {
  EXPECT_THAT(FlattenStages(Learn(std::move(objective), 600)),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr(words)));
}

TEST(ObjectiveTest, WhatCannotBeLearnedIsRefusedWithAReason) {
  ExpectRefused(CausalLm{.of = "words"}, "\"words\"");
  ExpectRefused(PrefixLm{.of = "words"}, "\"words\"");
  ExpectRefused(FillInMiddle{}, "FillInMiddle::prefix_id is -1");
  ExpectRefused(FillInMiddle{.rate = 2}, "FillInMiddle::rate is 2");
  ExpectRefused(MaskedLm{}, "MaskedLm::mask_id is -1");
  ExpectRefused(MaskedLm{.mask_id = 4}, "vocabulary");
  ExpectRefused(MaskedLm{.mask_part = 0.8, .random_part = 0.3, .mask_id = 4},
                "together");
  ExpectRefused(
      MaskedLm{.mask_id = 4, .vocabulary = 9, .word_starts = {true, false}},
      "word_starts has 2");
  ExpectRefused(SpanCorruption{}, "SpanCorruption::sentinel is -1");
  ExpectRefused(SpanCorruption{.density = 1, .sentinel = 99}, "density");
  ExpectRefused(SpanCorruption{.mean_length = 0.5, .sentinel = 99},
                "mean_length");
  ExpectRefused(SpanCorruption{.sentinel = 20}, "only 21 sentinels");
  EXPECT_THAT(
      FlattenStages(
          Dataset::TfRecords("a").Objective(PrefixLm{}).Objective(PrefixLm{})),
      StatusIs(StatusCode::kInvalidArgument, HasSubstr("two Objective")));
  EXPECT_THAT(
      FlattenStages(Dataset::TfRecords("a")
                        .Derive({SegmentIds("tokens")})
                        .Objective(SpanCorruption{.sentinel = kSentinel})
                        .Bucket({.by = "tokens", .lengths = {8}})
                        .Batch({.size = 1})),
      StatusIs(StatusCode::kInvalidArgument,
               HasSubstr("which SpanCorruption replaces")));
}

class ObjectiveRunTest : public ::testing::TestWithParam<size_t> {
 protected:
  Dataset Make() {
    Dataset dataset =
        Dataset::TfRecords(pattern_).Shuffle({.seed = 1}).Repeat({.epochs = 2});
    switch (GetParam()) {
      case 0:
        dataset = dataset.Objective(CausalLm{});
        break;
      case 1:
        dataset = dataset.Objective(PrefixLm{.seed = 1});
        break;
      case 2:
        dataset = dataset.Objective(
            FillInMiddle{.prefix_id = 1, .middle_id = 2, .suffix_id = 3});
        break;
      case 3:
        dataset = dataset.Objective(Masked());
        break;
      default:
        dataset = dataset.Objective(SpanCorruption{.sentinel = 99});
    }
    return dataset.Bucket({.by = "tokens", .lengths = {16, 40}})
        .Batch({.size = 12});
  }

  ScratchFolder folder_;
  std::string pattern_ = WriteDataset(folder_, RandomLengths(100, 40, 3));
};
INSTANTIATE_TEST_SUITE_P(Objectives, ObjectiveRunTest,
                         ::testing::Range<size_t>(0, 5));

TEST_P(ObjectiveRunTest, BatchesAreTheSameOnAnyHostsAndThreads) {
  ASSERT_OK_AND_ASSIGN(const auto expected, RunAll(Make()));
  ASSERT_GT(expected.size(), 16u);
  for (const RunOptions& options : std::vector<RunOptions>{
           {.shards = 3, .hosts = 3, .threads = 1},
           {.shards = 4, .hosts = 2, .threads = 3, .force_streamed = true}}) {
    ASSERT_OK_AND_ASSIGN(auto found, RunAll(Make(), options));
    ASSERT_EQ(found.size(), expected.size());
    for (size_t step = 0; step < found.size(); ++step) {
      EXPECT_EQ(found[step].tensors, expected[step].tensors) << step;
    }
  }
}

TEST_P(ObjectiveRunTest, ARunGoesOnExactlyAndNeverWithAnotherObjective) {
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(Make()));
  const State& state = whole[5].state_after;
  ASSERT_OK_AND_ASSIGN(
      const auto rest,
      RunAll(Make(), {.shards = 2, .hosts = 2, .restore = state}));
  ASSERT_EQ(rest.size(), whole.size() - 6);
  for (size_t step = 0; step < rest.size(); ++step) {
    EXPECT_EQ(rest[step].tensors, whole[step + 6].tensors);
  }
  const Dataset plain = Dataset::TfRecords(pattern_)
                            .Shuffle({.seed = 1})
                            .Repeat({.epochs = 2})
                            .Bucket({.by = "tokens", .lengths = {16, 40}})
                            .Batch({.size = 12});
  EXPECT_THAT(RunAll(plain, {.restore = state}),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr(GetParam() == 0   ? "Derive"
                                 : GetParam() <= 2 ? "Derive"
                                                   : "Objective")));
}

}  // namespace
}  // namespace penstock::testing
