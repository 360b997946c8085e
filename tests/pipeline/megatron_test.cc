// Whole runs in Megatron-LM's order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/order/megatron_index.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using SampleRow = std::vector<int32_t>;

class MegatronTest : public ::testing::Test {
 protected:
  Dataset Write(const std::vector<uint32_t>& lengths) {
    return Dataset::TfRecords(WriteDataset(folder_, lengths));
  }
  static Dataset Arranged(const Dataset& of, PackOptions pack,
                          int64_t rows = 2) {
    pack.by = "tokens";
    pack.kind = PackKind::kMegatron;
    return of.Pack(std::move(pack)).Batch({.size = rows});
  }
  static std::vector<SampleRow> RowsOf(const std::vector<GlobalBatch>& run,
                                       size_t length) {
    std::vector<SampleRow> rows;
    for (const GlobalBatch& batch : run) {
      const auto values = ValuesOf<int32_t>(batch.tensors[0]);
      for (size_t r = 0; r < batch.row_records.size(); ++r) {
        if (batch.row_records[r].empty()) continue;  // it pads
        const auto begin =
            values.begin() + static_cast<std::ptrdiff_t>(r * length);
        rows.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(length));
      }
    }
    return rows;
  }

  ScratchFolder folder_;
};

// `tokens` as 100 (document + 1) + j for its value j.
SampleRow RowOf(std::vector<uint64_t> tokens) {
  SampleRow row;
  for (const uint64_t token : tokens) {
    row.push_back(static_cast<int32_t>(TokenOf(token / 100 - 1, token % 100)));
  }
  return row;
}

// Computed with NumPy 2.4.6, see order/megatron_index_test.cc.
TEST_F(MegatronTest, RowsAreTheSamplesOfMegatron) {
  const Dataset five = Write({5, 3, 7, 2, 6});
  ASSERT_OK_AND_ASSIGN(const auto one,
                       RunAll(Arranged(five, {.length = 5, .seed = 1234})));
  EXPECT_THAT(RowsOf(one, 5), ElementsAre(RowOf({201, 202, 300, 301, 302}),
                                          RowOf({102, 103, 104, 200, 201}),
                                          RowOf({504, 505, 100, 101, 102}),
                                          RowOf({500, 501, 502, 503, 504}),
                                          RowOf({302, 303, 304, 305, 306})));
  ASSERT_OK_AND_ASSIGN(
      const auto two,
      RunAll(Arranged(five, {.length = 5, .seed = 1234, .samples = 7})));
  EXPECT_THAT(RowsOf(two, 5), ElementsAre(RowOf({102, 103, 104, 200, 201}),
                                          RowOf({500, 501, 502, 503, 504}),
                                          RowOf({302, 303, 304, 305, 306}),
                                          RowOf({201, 202, 300, 301, 302}),
                                          RowOf({504, 505, 100, 101, 102}),
                                          RowOf({401, 300, 301, 302, 303}),
                                          RowOf({500, 501, 502, 503, 504})));
}

class MegatronRunTest : public MegatronTest {
 protected:
  MegatronRunTest() : lengths_(RandomLengths(300, 40, 3)) {
    for (size_t i = 0; i < lengths_.size(); i += 7) lengths_[i] = 0;
    lengths_[100] = 500;  // in many samples
    records_ = Write(lengths_);
  }
  Dataset Run(int64_t rows) const {
    return Arranged(*records_, {.length = 33, .seed = 9, .samples = 400}, rows);
  }

  std::vector<uint32_t> lengths_;
  std::optional<Dataset> records_;
};

// Value i of the documents in their order is sample i / 32's.
TEST_F(MegatronRunTest, SamplesFollowEachOtherWhateverDocumentsThereAre) {
  ASSERT_OK_AND_ASSIGN(
      const MegatronIndex index,
      MakeMegatronIndex(lengths_, {.length = 32, .samples = 400, .seed = 9}));
  ASSERT_GT(index.passes, 1u);
  SampleRow values;
  for (const uint32_t document : index.documents) {
    for (uint64_t j = 0; j < lengths_[document]; ++j) {
      values.push_back(static_cast<int32_t>(TokenOf(document, j)));
    }
  }
  std::vector<SampleRow> expected;
  for (size_t i = 0; i < 400; ++i) {
    const auto begin =
        values.begin() + static_cast<std::ptrdiff_t>(32 * index.shuffled[i]);
    expected.emplace_back(begin, begin + 33);
  }
  ASSERT_OK_AND_ASSIGN(const auto run, RunAll(Run(6)));
  EXPECT_EQ(run.size(), 67u);
  EXPECT_EQ(RowsOf(run, 33), expected);
}

TEST_F(MegatronRunTest, EveryStateGoesOnOnOtherHostsAndIsFoundWithoutARun) {
  ASSERT_OK_AND_ASSIGN(const auto expected, RunAll(Run(6)));
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Compile(Run(6), {}));
  EXPECT_EQ(pipeline.steps_per_epoch(), expected.size());
  EXPECT_THAT(pipeline.Explain(), HasSubstr("megatron  400 samples of"));
  for (size_t done = 1; done < expected.size(); done += 5) {
    ASSERT_OK_AND_ASSIGN(const State state, pipeline.StateAfter(done));
    EXPECT_EQ(state, expected[done - 1].state_after);
    RunOptions options = {.shards = 6, .hosts = 1 + uint32_t(done) % 3};
    options.restore = expected[done - 1].state_after;
    ASSERT_OK_AND_ASSIGN(const auto rest, RunAll(Run(6), options));
    const std::vector<GlobalBatch> after(
        expected.begin() + static_cast<std::ptrdiff_t>(done), expected.end());
    ASSERT_EQ(rest, after) << done;
  }
}

// As Megatron's ramp of the batch size goes.
TEST_F(MegatronRunTest, BatchesMayGrowOnTheWay) {
  ASSERT_OK_AND_ASSIGN(const auto before, RunAll(Run(6)));
  RunOptions options = {.restore = before[9].state_after};
  options.change = [](uint32_t, HostRun& run) {
    run.compile.changed = {Change::kBatches};
  };
  ASSERT_OK_AND_ASSIGN(const auto after, RunAll(Run(10), options));
  const std::vector<SampleRow> all = RowsOf(before, 33);
  EXPECT_EQ(RowsOf(after, 33),
            std::vector<SampleRow>(all.begin() + 60, all.end()));
}

TEST_F(MegatronRunTest, StatesOfOtherKindsAndSamplesAreRefused) {
  ASSERT_OK_AND_ASSIGN(const auto run, RunAll(Run(6)));
  const auto refused = [&](const Dataset& dataset, const State& state) {
    RunOptions options = {.restore = state};
    options.change = [](uint32_t, HostRun& host) {
      host.compile.changed = {Change::kBatches};
    };
    EXPECT_THAT(RunAll(dataset, options),
                StatusIs(StatusCode::kFailedPrecondition,
                         HasSubstr("Pack by Megatron-LM's order")));
  };
  refused(
      records_->Pack({.by = "tokens", .length = 33, .kind = PackKind::kChunk})
          .Batch({.size = 6}),
      run[3].state_after);
  refused(Arranged(*records_, {.length = 33, .seed = 9, .samples = 401}, 6),
          run[3].state_after);
}

TEST_F(MegatronTest, WhatHasNoSuchOrderIsRefused) {
  const Dataset five = Write({5, 3, 7, 2, 6});
  const auto refused = [](const Dataset& dataset, const char* words,
                          const CompileOptions& options = {}) {
    EXPECT_THAT(Compile(dataset, {}, options),
                StatusIs(kInvalid, HasSubstr(words)));
  };
  refused(Arranged(five.Shuffle({.seed = 1}), {.length = 5}), "behind Shuffle");
  refused(Arranged(Dataset::Mix({{five, 1}, {five, 1}}), {.length = 5}),
          "behind Shuffle or Mix");
  refused(Arranged(five.Repeat({.epochs = 2}), {.length = 5}), "with Repeat");
  refused(Arranged(five.Withdraw({1}), {.length = 5}), "or Withdraw");
  refused(Arranged(five, {.length = 1}), "with length 1");
  refused(Arranged(five, {.length = 5, .max_segments = 2}), "max_segments 2");
  refused(Arranged(five, {.length = 5, .seed = uint64_t{1} << 32}),
          "seed 4294967296");
  refused(Arranged(five, {.length = 24}), "have 23 values");
  CompileOptions streamed;
  streamed.force_streamed = true;
  refused(Arranged(five, {.length = 5}), "of planned pipelines", streamed);
  refused(
      five.Pack({.by = "tokens", .length = 8, .seed = 1}).Batch({.size = 2}),
      "leave them out");
}

}  // namespace
}  // namespace penstock::testing
