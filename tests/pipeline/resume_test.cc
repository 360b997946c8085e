// Stop anywhere, go on from the state alone: the rest is that of the run that
// never stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "pipeline/pipeline.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"
#include "tokenizer/load.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

struct ResumeCase {
  std::string name;
  bool streamed = false;
  Compression compression = Compression::kNone;
  uint64_t window_records = 0;
  bool shuffle = true;
  bool pad = false;
  bool lengths = true;  // otherwise fixed features only
  Leftover leftover = Leftover::kPad;
  TooLong too_long = TooLong::kDrop;
};

void PrintTo(const ResumeCase& c, std::ostream* out) { *out << c.name; }

class ResumeTest : public ::testing::TestWithParam<ResumeCase> {
 protected:
  static constexpr uint64_t kRecords = 155;

  ResumeTest()
      : pattern_(WriteDataset(folder_, RandomLengths(kRecords, 40, 1),
                              {.compression = GetParam().compression})) {}

  Dataset MakeDataset() const {
    const ResumeCase& c = GetParam();
    Dataset dataset = Dataset::TfRecords(pattern_).Repeat({.epochs = 2});
    if (c.shuffle) {
      dataset =
          dataset.Shuffle({.seed = 5, .window_records = c.window_records});
    }
    if (!c.lengths) {
      dataset = dataset.Parse({{.name = "id", .length = 1}});
    } else if (c.pad) {
      dataset = dataset.Pad({.by = "tokens",
                             .multiple_of = 8,
                             .max_length = 32,
                             .too_long = c.too_long});
    } else {
      dataset = dataset.Bucket(
          {.by = "tokens", .lengths = {8, 16, 32}, .too_long = c.too_long});
    }
    return dataset.Batch({.size = 12, .leftover = c.leftover});
  }

  // Shards too may be others than before.
  RunOptions Options(uint32_t hosts, uint32_t shards = 4) const {
    return {.shards = shards,
            .hosts = hosts,
            .force_streamed = GetParam().streamed};
  }

  ScratchFolder folder_;
  const std::string pattern_;
};

INSTANTIATE_TEST_SUITE_P(
    Placements, ResumeTest,
    ::testing::Values(
        ResumeCase{.name = "PlannedBucket"},
        ResumeCase{.name = "PlannedPad", .pad = true},
        ResumeCase{.name = "PlannedWindow", .window_records = 20},
        ResumeCase{.name = "PlannedDroppingLeftovers",
                   .leftover = Leftover::kDrop,
                   .too_long = TooLong::kTruncate},
        ResumeCase{.name = "PlannedFixed", .lengths = false},
        ResumeCase{.name = "StreamedBucket", .streamed = true},
        ResumeCase{.name = "StreamedPad", .streamed = true, .pad = true},
        ResumeCase{
            .name = "StreamedWindow", .streamed = true, .window_records = 20},
        ResumeCase{.name = "StreamedDroppingLeftovers",
                   .streamed = true,
                   .leftover = Leftover::kDrop,
                   .too_long = TooLong::kTruncate},
        ResumeCase{.name = "StreamedFixed", .streamed = true, .lengths = false},
        ResumeCase{.name = "Gzip",
                   .compression = Compression::kGzip,
                   .shuffle = false},
        ResumeCase{.name = "GzipWindow",
                   .compression = Compression::kGzip,
                   .window_records = 20}),
    [](const auto& info) { return info.param.name; });

TEST_P(ResumeTest, TheRestEqualsTheUninterruptedRunAtEveryStepOnOtherHosts) {
  const Dataset dataset = MakeDataset();
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(dataset, Options(1)));
  ASSERT_GT(whole.size(), 15u);
  for (size_t done = 1; done <= whole.size(); done += kCaseStride) {
    const auto hosts = 1 + static_cast<uint32_t>(done % 4);
    RunOptions options = Options(hosts, hosts == 3 ? 3 : 12);
    options.restore = whole[done - 1].state_after;
    ASSERT_OK_AND_ASSIGN(const auto rest, RunAll(dataset, options));
    const std::vector<GlobalBatch> expected(
        whole.begin() + static_cast<std::ptrdiff_t>(done), whole.end());
    ASSERT_EQ(rest, expected)
        << "after " << done << " steps on " << options.hosts << " hosts";
  }
}

TEST_P(ResumeTest, AStateOfTheStartIsTheWholeRun) {
  const Dataset dataset = MakeDataset();
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(dataset, Options(2)));
  RunOptions options = Options(1);
  options.restore = State{.graph = whole[0].state_after.graph};
  ASSERT_OK_AND_ASSIGN(const auto again, RunAll(dataset, options));
  EXPECT_EQ(again, whole);
}

TEST_P(ResumeTest, StatesAreTheSameTextAfterATrip) {
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(MakeDataset(), Options(1)));
  for (const GlobalBatch& batch : whole) {
    ASSERT_OK_AND_ASSIGN(const State state,
                         ParseState(FormatState(batch.state_after)));
    EXPECT_EQ(state, batch.state_after);
  }
}

TEST_P(ResumeTest, PositionsThatTheRunDoesNotHaveAreRefused) {
  const Dataset dataset = MakeDataset();
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(dataset, Options(1)));
  RunOptions options = Options(1);
  options.restore = State{.graph = whole[0].state_after.graph,
                          .step = 500,
                          .step_in_epoch = 500,
                          .position = kRecords + 1};
  EXPECT_THAT(
      RunAll(dataset, options),
      StatusIs(StatusCode::kFailedPrecondition,
               ::testing::ContainsRegex("of (an epoch|a window) that has")));
  options.restore = State{.graph = whole[0].state_after.graph, .epoch = 3};
  EXPECT_THAT(RunAll(dataset, options),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("epoch 3")));
}

class StateTest : public ::testing::Test {
 protected:
  Status RestoreWith(const Dataset& to, const State& state,
                     Topology topology = {}) {
    auto pipeline = Compile(to, topology);
    EXPECT_OK(pipeline);
    return pipeline->Restore(state);
  }
  static Dataset Of(const std::string& pattern, int64_t size = 4) {
    return Dataset::TfRecords(pattern)
        .Bucket({.by = "tokens", .lengths = {32}})
        .Batch({.size = size});
  }
  State StateOf(const Dataset& dataset) {
    auto pipeline = Compile(dataset, {});
    EXPECT_OK(pipeline);
    auto batch = pipeline->Next();
    EXPECT_OK(batch);
    return (*batch)->state_after;
  }

  ScratchFolder folder_;
  ScratchFolder other_folder_;
};

TEST_F(StateTest, AStateOfOtherDataIsRefused) {
  const std::string one = WriteDataset(folder_, RandomLengths(20, 32, 1));
  const std::string two = WriteDataset(other_folder_, RandomLengths(21, 32, 1));
  EXPECT_THAT(
      RestoreWith(Of(two), StateOf(Of(one))),
      StatusIs(StatusCode::kFailedPrecondition, HasSubstr("another dataset")));
}

// Made again, with other values.
TEST_F(StateTest, AStateOfOtherDataOfTheSameNamesAndSizesIsRefused) {
  const auto lengths = RandomLengths(20, 32, 1);
  for (const bool index : {true, false}) {
    const ScratchFolder first;
    const ScratchFolder second;
    const std::string one = WriteDataset(first, lengths, {.index = index});
    const std::string two =
        WriteDataset(second, lengths, {.index = index, .part = 3});
    EXPECT_THAT(RestoreWith(Of(two), StateOf(Of(one))),
                StatusIs(StatusCode::kFailedPrecondition,
                         HasSubstr("another dataset")));
  }
}

TEST_F(StateTest, AStateOfAnotherGraphIsRefusedByTheNameOfTheStage) {
  const std::string pattern = WriteDataset(folder_, RandomLengths(20, 32, 1));
  const State state = StateOf(Of(pattern));
  EXPECT_OK(RestoreWith(Of(pattern), state));
  EXPECT_THAT(
      RestoreWith(Of(pattern, 8), state),
      StatusIs(StatusCode::kFailedPrecondition, HasSubstr("Batch differs")));
  EXPECT_THAT(RestoreWith(Dataset::TfRecords(pattern)
                              .Shuffle({.seed = 1})
                              .Bucket({.by = "tokens", .lengths = {32}})
                              .Batch({.size = 4}),
                          state),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("it has Bucket where this has Shuffle")));
}

TEST_F(StateTest, DevicesAndEpochsMayBeOthers) {
  const std::string pattern = WriteDataset(folder_, RandomLengths(20, 32, 1));
  const State state = StateOf(Of(pattern));
  EXPECT_OK(RestoreWith(Of(pattern), state, {.shards = 2}));
  EXPECT_OK(RestoreWith(Dataset::TfRecords(pattern)
                            .Repeat({.epochs = 3})
                            .Bucket({.by = "tokens", .lengths = {32}})
                            .Batch({.size = 4}),
                        state));
}

TEST_F(StateTest, StatesOfMoreStepsThanCanBeCountedAreFound) {
  const std::string pattern = WriteDataset(folder_, RandomLengths(8, 32, 1));
  const Dataset all =
      Dataset::TfRecords(pattern).Repeat({.epochs = uint64_t{1} << 63});
  for (const Dataset& dataset :
       {all.Bucket({.by = "tokens", .lengths = {32}}).Batch({.size = 4}),
        all.Pack({.by = "tokens", .length = 4, .kind = PackKind::kChunk})
            .Batch({.size = 1})}) {
    ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Compile(dataset, {}));
    ASSERT_OK_AND_ASSIGN(const State state, pipeline.StateAfter(3));
    EXPECT_EQ(state.step, 3u);
  }
}

TEST_F(StateTest, DataInAnotherFolderIsTheSameData) {
  const auto lengths = RandomLengths(20, 32, 1);
  const std::string one = WriteDataset(folder_, lengths);
  const std::string two = WriteDataset(other_folder_, lengths);
  EXPECT_OK(RestoreWith(Of(two), StateOf(Of(one))));
}

TEST_F(StateTest, RestoringARunningPipelineIsRefused) {
  const Dataset dataset = Of(WriteDataset(folder_, RandomLengths(20, 32, 1)));
  ASSERT_OK_AND_ASSIGN(Pipeline pipeline, Compile(dataset, {}));
  ASSERT_OK_AND_ASSIGN(const auto batch, pipeline.Next());
  EXPECT_THAT(pipeline.Restore(batch->state_after),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("before the first Next()")));
}

}  // namespace
}  // namespace penstock::testing
