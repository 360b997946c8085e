// Whole runs: the laws of the design that the pipeline answers for.
#include "pipeline/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"
#include "tokenizer/load.h"

namespace penstock::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Dataset Bucketed(const std::string& pattern, int64_t batch) {
  return Dataset::TfRecords(pattern)
      .Shuffle({.seed = 7})
      .Repeat({.epochs = 2})
      .Bucket({.by = "tokens", .lengths = {8, 16, 32}})
      .Batch({.size = batch});
}

class HostsTest : public ::testing::TestWithParam<bool> {
 protected:
  bool streamed() const { return GetParam(); }
  ScratchFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Placements, HostsTest, ::testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Streamed" : "Planned";
                         });

TEST_P(HostsTest, SameGlobalBatchesForAnyHostsAndThreads) {
  const std::string pattern =
      WriteDataset(folder_, RandomLengths(331, 32, /*seed=*/1));
  const Dataset dataset = Bucketed(pattern, 24);
  ASSERT_OK_AND_ASSIGN(
      const auto expected,
      RunAll(dataset, {.shards = 8, .force_streamed = streamed()}));
  EXPECT_GT(expected.size(), 2 * 331u / 24);
  for (const uint32_t hosts : {1, 2, 3, 5, 8}) {
    for (const int threads : {1, 2, 8}) {
      ASSERT_OK_AND_ASSIGN(const auto batches,
                           RunAll(dataset, {.shards = 8,
                                            .hosts = hosts,
                                            .threads = threads,
                                            .force_streamed = streamed()}));
      EXPECT_EQ(batches, expected) << hosts << " hosts, " << threads;
    }
  }
}

// GSPMD's rule: 19 rows on 8 shards are 3 each, and the last 5 pad.
TEST_P(HostsTest, RowsThatDoNotDividePadTheLastShards) {
  const std::string pattern =
      WriteDataset(folder_, RandomLengths(331, 32, /*seed=*/1));
  const Dataset dataset = Bucketed(pattern, 19);
  ASSERT_OK_AND_ASSIGN(const auto whole,
                       RunAll(dataset, {.force_streamed = streamed()}));
  for (const uint32_t hosts : {1, 3, 8}) {
    ASSERT_OK_AND_ASSIGN(
        const auto batches,
        RunAll(dataset,
               {.shards = 8, .hosts = hosts, .force_streamed = streamed()}));
    ASSERT_EQ(batches.size(), whole.size());
    for (size_t step = 0; step < batches.size(); ++step) {
      std::vector<uint64_t> ids = whole[step].record_ids;
      ids.resize(24, kNoRecord);
      EXPECT_EQ(batches[step].record_ids, ids);
      for (size_t t = 0; t < whole[step].tensors.size(); ++t) {
        const auto& rows = whole[step].tensors[t];
        const auto& padded = batches[step].tensors[t];
        EXPECT_EQ(padded.size(), rows.size() / 19 * 24);
        EXPECT_TRUE(std::equal(rows.begin(), rows.end(), padded.begin()));
      }
      // Weights come last.
      const auto& weights = batches[step].tensors.back();
      for (size_t i = 19 * sizeof(float); i < weights.size(); ++i) {
        EXPECT_EQ(weights[i], std::byte{0});
      }
    }
  }
}

TEST_P(HostsTest, EveryRecordIsSeenOnceWhateverTheCountsAre) {
  constexpr uint64_t kTrials = Cases(24);
  for (uint64_t trial = 0; trial < kTrials; ++trial) {
    const auto random = RandomLengths(4, 12, trial + 100);
    const uint64_t records = trial % 3 == 0 ? random[0] : random[0] * 17;
    const uint32_t shards = random[1];
    const uint32_t hosts = 1 + random[2] % shards;
    const ScratchFolder folder;
    const Dataset dataset =
        Dataset::TfRecords(WriteDataset(folder,
                                        RandomLengths(records, 32, trial),
                                        {.files = random[3]}))
            .Shuffle({.seed = trial})
            .Bucket({.by = "tokens", .lengths = {8, 16, 32}})
            .Batch({.size = int64_t{shards} * (1 + random[2] % 3)});
    ASSERT_OK_AND_ASSIGN(const auto batches,
                         RunAll(dataset, {.shards = shards,
                                          .hosts = hosts,
                                          .force_streamed = streamed()}));
    EXPECT_EQ(RealIds(batches), Iota(records)) << "trial " << trial;
  }
}

// Rows are read in stretches of some KiB of records, and larger ones alone.
TEST(PipelineTest, RowsOfManyStretchesArePlannedAsTheyAreStreamed) {
  const ScratchFolder folder;
  std::vector<uint32_t> lengths = RandomLengths(300, 1500, /*seed=*/3);
  for (size_t i = 0; i < lengths.size(); i += 50) lengths[i] = 20'000;
  lengths[99] = 400'000;
  const Dataset read =
      Dataset::TfRecords(WriteDataset(folder, lengths)).Shuffle({.seed = 7});
  const Dataset kinds[] = {
      read.Bucket({.by = "tokens",
                   .lengths = {1000, 2000, 400'000},
                   .rows = {64, 64, 2}})
          .Batch({.size = 64}),
      read.Pack({.by = "tokens", .length = 400'000}).Batch({.size = 2})};
  for (const Dataset& dataset : kinds) {
    ASSERT_OK_AND_ASSIGN(const auto planned, RunAll(dataset));
    ASSERT_OK_AND_ASSIGN(const auto streamed,
                         RunAll(dataset, {.force_streamed = true}));
    EXPECT_FALSE(planned.empty());
    EXPECT_EQ(planned, streamed);
  }
}

}  // namespace
}  // namespace penstock::testing
