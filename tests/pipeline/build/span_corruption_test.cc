// Spans that are left out, counted as T5 counts them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "pipeline/graph/noise_spans.h"
#include "tests/pipeline/build/learned.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

}  // namespace
}  // namespace penstock::testing
