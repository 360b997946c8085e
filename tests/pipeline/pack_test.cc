// Packed rows in batches: values, features that go together, what Explain and
// Trace say, and steps that are reached without a state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/row_function.h"
#include "pipeline/trace.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/status_matchers.h"
#include "tokenizer/load.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class PackTest : public ::testing::Test {
 protected:
  Dataset Packed(const std::vector<uint32_t>& lengths, PackOptions pack,
                 BatchOptions batch) {
    pack.by = "tokens";
    return Dataset::TfRecords(WriteDataset(folder_, lengths, {.files = 1}))
        .Pack(std::move(pack))
        .Batch(batch);
  }

  ScratchFolder folder_;
};

TEST_F(PackTest, RecordsStandOneAfterTheOther) {
  const Dataset dataset = Packed(
      {4, 8, 2}, {.length = 10, .kind = PackKind::kFirstFit, .pad_value = -1},
      {.size = 2});
  ASSERT_OK_AND_ASSIGN(Pipeline pipeline, Compile(dataset, {}));
  ASSERT_OK_AND_ASSIGN(const auto batch, pipeline.Next());
  ASSERT_TRUE(batch);
  const auto values = batch->tensors[0].values<int32_t>();
  std::vector<int32_t> expected(20, -1);
  for (uint64_t j = 0; j < 4; ++j)
    expected[j] = static_cast<int32_t>(TokenOf(0, j));
  for (uint64_t j = 0; j < 2; ++j)
    expected[4 + j] = static_cast<int32_t>(TokenOf(2, j));
  for (uint64_t j = 0; j < 8; ++j)
    expected[10 + j] = static_cast<int32_t>(TokenOf(1, j));
  EXPECT_TRUE(std::ranges::equal(values, expected));
  EXPECT_THAT(batch->tensors[1].values<int32_t>(), ElementsAre(6, 8));
  EXPECT_THAT(batch->RecordsOf(0), ElementsAre(0, 2));
  EXPECT_THAT(batch->RecordsOf(1), ElementsAre(1));
  EXPECT_TRUE(batch->record_begins.empty());
}

TEST_F(PackTest, CutRecordsSayWhereTheirPartsBegin) {
  const Dataset dataset =
      Packed({3, 9}, {.length = 4, .kind = PackKind::kChunk}, {.size = 3});
  ASSERT_OK_AND_ASSIGN(Pipeline pipeline, Compile(dataset, {}));
  EXPECT_EQ(pipeline.steps_per_epoch(), 1u);
  ASSERT_OK_AND_ASSIGN(const auto batch, pipeline.Next());
  EXPECT_THAT(batch->record_ids, ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(batch->record_begins, ElementsAre(0, 0, 1, 5));
}

TEST_F(PackTest, WhatPackCannotDoIsRefused) {
  const auto refused = [&](const Dataset& dataset, const char* words) {
    EXPECT_THAT(Compile(dataset, {}).status(),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr(words)));
  };
  const std::vector<uint32_t> lengths = {3, 9};
  refused(Packed(lengths, {.length = 0}, {.size = 2}), "length of 0");
  refused(Packed(lengths, {.length = 1 << 25}, {.size = 2}),
          "length of 33554432");
  refused(Packed(lengths, {.length = 16, .window_rows = 1}, {.size = 2}),
          "no fewer than the 2 rows");
  refused(Packed(lengths, {.length = 16, .max_segments = -1}, {.size = 2}),
          "at most -1 segments");
  refused(Packed(lengths, {.length = 8}, {.size = 2}), "has 9 values");
  refused(Packed(lengths, {.length = 16}, {.size = 6, .balance = {.parts = 4}}),
          "divisor of the 6 rows");
  const std::string files = WriteDataset(folder_, lengths, {.files = 1});
  refused(Dataset::TfRecords(files)
              .Parse({{.name = "tokens"}, {.name = "id", .length = 1}})
              .Pack({.by = "tokens", .length = 16})
              .Batch({.size = 2}),
          "Pack puts several records into a row");
  refused(Dataset::TfRecords(files)
              .Bucket({.by = "tokens", .lengths = {16}})
              .Pack({.by = "tokens", .length = 16})
              .Batch({.size = 2}),
          "keep one");
  refused(Dataset::TfRecords(files)
              .Bucket({.by = "tokens", .lengths = {16}})
              .Batch({.size = 2, .balance = {.parts = 2}}),
          "balance without Pack");
}

class PackRunTest : public PackTest,
                    public ::testing::WithParamInterface<PackKind> {
 protected:
  PackRunTest()
      : dataset_(
            Dataset::TfRecords(WriteDataset(folder_, RandomLengths(700, 60, 1)))
                .Shuffle({.seed = 4})
                .Repeat({.epochs = 2})
                .Pack({.by = "tokens", .length = 64, .kind = GetParam()})
                .Batch({.size = 12, .balance = {.parts = 6}})) {}

  Dataset dataset_;
};
INSTANTIATE_TEST_SUITE_P(Kinds, PackRunTest,
                         ::testing::Values(PackKind::kFirstFit,
                                           PackKind::kBestFit,
                                           PackKind::kChunk));

// Laws 1 and 5 with balanced rows: every step, on other hosts, planned and
// streamed.
TEST_P(PackRunTest, EveryStateGoesOnOnOtherHosts) {
  ASSERT_OK_AND_ASSIGN(const auto expected, RunAll(dataset_));
  ASSERT_GT(expected.size(), 50u);
  for (size_t done = 1; done <= expected.size(); done += 4) {
    RunOptions options = {.shards = 6, .hosts = 1 + uint32_t(done) % 5};
    options.force_streamed = done % 3 == 0;
    options.restore = expected[done - 1].state_after;
    ASSERT_OK_AND_ASSIGN(const auto rest, RunAll(dataset_, options));
    const std::vector<GlobalBatch> after(
        expected.begin() + static_cast<std::ptrdiff_t>(done), expected.end());
    ASSERT_EQ(rest, after) << done;
  }
}

TEST_P(PackRunTest, StatesAreFoundAndStepsTracedWithoutARun) {
  ASSERT_OK_AND_ASSIGN(const auto expected, RunAll(dataset_));
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Compile(dataset_, {}));
  for (size_t step = 0; step < expected.size(); step += 9) {
    ASSERT_OK_AND_ASSIGN(const State state, pipeline.StateAfter(step + 1));
    EXPECT_EQ(state, expected[step].state_after);
    ASSERT_OK_AND_ASSIGN(const StepTrace trace, pipeline.Trace(step));
    EXPECT_EQ(trace.epoch, expected[step].epoch);
    ASSERT_EQ(trace.rows, expected[step].row_records.size());
    std::vector<std::vector<uint64_t>> records(trace.rows);
    for (const TracedPiece& piece : trace.pieces) {
      records[piece.row].push_back(piece.record);
      EXPECT_THAT(piece.where,
                  AllOf(HasSubstr("data.tfrecord"), HasSubstr("at offset")));
    }
    EXPECT_EQ(records, expected[step].row_records);
  }
  EXPECT_THAT(pipeline.StateAfter(expected.size() + 1).status(),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr(std::to_string(expected.size()))));
  EXPECT_THAT(pipeline.Trace(expected.size()).status(),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("step")));
  EXPECT_EQ(pipeline.steps_per_epoch().has_value(),
            GetParam() == PackKind::kChunk);
  EXPECT_THAT(pipeline.Explain(),
              AllOf(HasSubstr("pack      by tokens to 64"),
                    HasSubstr("balance   6 parts"), HasSubstr("% full"),
                    HasSubstr("the dearest part costs 1.")));
}

TEST_F(PackTest, StreamedStepsCannotBeTraced) {
  const Dataset dataset = Packed({3, 9}, {.length = 16}, {.size = 2});
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline,
                       Compile(dataset, {}, {.force_streamed = true}));
  EXPECT_THAT(pipeline.Trace(0).status(),
              StatusIs(StatusCode::kUnimplemented, HasSubstr("streamed")));
}

TEST_F(PackTest, ACutRowThatIsNotFullFillsNoBatch) {
  for (const Leftover leftover : {Leftover::kDrop, Leftover::kPad}) {
    const Dataset dataset =
        Packed({4, 8, 6}, {.length = 5, .kind = PackKind::kChunk},
               {.size = 2, .leftover = leftover});
    ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Compile(dataset, {}));
    ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(dataset));
    EXPECT_EQ(batches.size(), leftover == Leftover::kPad ? 2u : 1u);
    EXPECT_EQ(pipeline.steps_per_epoch(), batches.size());
  }
}

TEST_F(PackTest, BucketsMayBeChosenByTheData) {
  const std::string files =
      WriteDataset(folder_, {9, 10, 10, 55, 60, 58, 30, 30}, {.files = 1});
  const auto buckets = [&](BucketOptions options) {
    options.by = "tokens";
    return Dataset::TfRecords(files)
        .Bucket(std::move(options))
        .Batch({.size = 2});
  };
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline,
                       Compile(buckets({.shapes = 3}), {}));
  EXPECT_THAT(pipeline.contract().lengths, ElementsAre(10, 30, 60));
  ASSERT_OK_AND_ASSIGN(const Pipeline one,
                       Compile(buckets({.lengths = {1000}}), {}));
  EXPECT_THAT(one.Explain(), HasSubstr("mostly padding"));
}

TEST_F(PackTest, BucketsAreNotChosenByLengthsThatNoIndexHas) {
  const Dataset bare = Dataset::TfRecords(
      WriteDataset(folder_, {9, 10}, {.files = 2, .index = false}));
  const auto why = [](const Dataset& dataset, std::string by) {
    return Compile(dataset.Bucket({.by = std::move(by)}).Batch({.size = 2}), {})
        .status();
  };
  EXPECT_THAT(why(bare, "tokens"),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("`recordtool index --length-of tokens`")));
  // As records have it.
  EXPECT_THAT(why(bare.Parse({{.name = "tokens"}})
                      .Rename({.from = "tokens", .to = "inputs"}),
                  "inputs"),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("`recordtool index --length-of tokens`")));
  const ScratchFolder folder;
  const std::string indexed = WriteDataset(folder, {9, 10});
  // An index without them names the feature, too, and where none could have
  // them none is advised.
  const ScratchFolder without;
  EXPECT_THAT(why(Dataset::TfRecords(
                      WriteDataset(without, {9, 10}, {.length_column = false})),
                  "tokens"),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("`recordtool index --length-of tokens`")));
  EXPECT_THAT(
      why(Dataset::TfRecords(indexed)
              .Parse({{.name = "tokens"}})
              .Map({.name = "cut", .keeps_lengths = false},
                   [](const RowChunk&) { return OkStatus(); }),
          "tokens"),
      StatusIs(StatusCode::kInvalidArgument,
               AllOf(HasSubstr("Map \"cut\" may change how many values"),
                     Not(HasSubstr("recordtool index")))));
  EXPECT_THAT(why(Dataset::TfRecords(indexed).Tokenize(
                      *LoadTokenizer(LocalFiles(), "bytes"), {.to = "made"}),
                  "made"),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("Tokenize makes \"made\""),
                             Not(HasSubstr("recordtool index")))));
}

}  // namespace
}  // namespace penstock::testing
