// What objectives refuse, and that their rows are the same on any hosts.
#include "pipeline/objective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pipeline/build/learned.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

template <typename Objective>
void ExpectNotLearned(Objective objective, const std::string& words) {
  EXPECT_THAT(FlattenStages(Learn(std::move(objective), 600)),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr(words)));
}

TEST(ObjectiveTest, WhatCannotBeLearnedIsRefusedWithAReason) {
  ExpectNotLearned(CausalLm{.of = "words"}, "\"words\"");
  ExpectNotLearned(PrefixLm{.of = "words"}, "\"words\"");
  ExpectNotLearned(FillInMiddle{}, "FillInMiddle::prefix_id is -1");
  ExpectNotLearned(FillInMiddle{.rate = 2}, "FillInMiddle::rate is 2");
  ExpectNotLearned(MaskedLm{}, "MaskedLm::mask_id is -1");
  ExpectNotLearned(MaskedLm{.mask_id = 4}, "vocabulary");
  ExpectNotLearned(MaskedLm{.mask_part = 0.8, .random_part = 0.3, .mask_id = 4},
                   "together");
  ExpectNotLearned(
      MaskedLm{.mask_id = 4, .vocabulary = 9, .word_starts = {true, false}},
      "word_starts has 2");
  ExpectNotLearned(SpanCorruption{}, "SpanCorruption::sentinel is -1");
  ExpectNotLearned(SpanCorruption{.density = 1, .sentinel = 99}, "density");
  ExpectNotLearned(SpanCorruption{.mean_length = 0.5, .sentinel = 99},
                   "mean_length");
  ExpectNotLearned(SpanCorruption{.sentinel = 20}, "only 21 sentinels");
  EXPECT_THAT(
      FlattenStages(
          Dataset::TfRecords("a").Objective(PrefixLm{}).Objective(PrefixLm{})),
      StatusIs(StatusCode::kInvalidArgument, HasSubstr("two Objective")));
  EXPECT_THAT(FlattenStages(Dataset::TfRecords("a")
                                .Derive({SegmentIds("tokens")})
                                .Objective(SpanCorruption{.sentinel = 32099})
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
        dataset = dataset.Objective(
            MaskedLm{.seed = 5, .mask_id = 103, .vocabulary = 30522});
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

TEST(ObjectiveTest, SpansAreOfLengthsThatTheDataChooses) {
  ScratchFolder folder;
  const Dataset rows =
      Dataset::TfRecords(WriteDataset(folder, RandomLengths(60, 300, 1)));
  const auto spans = [&](int64_t sentinel) {
    return rows.Objective(SpanCorruption{.sentinel = sentinel})
        .Bucket({.by = "tokens", .lengths = {}, .shapes = 3})
        .Batch({.size = 12});
  };
  EXPECT_OK(RunAll(spans(99)));
  EXPECT_THAT(Compile(spans(2), {}), StatusIs(StatusCode::kInvalidArgument,
                                              HasSubstr("only 3 sentinels")));
}

}  // namespace
}  // namespace penstock::testing
