// What a run writes down: digest, census, counts.
#include "infeed/accounts/run_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <utility>
#include <vector>

#include "tests/infeed/made_batches.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::MakeBatch;
using ::penstock::testing::TokenContract;
using ::penstock::testing::TopologyOf;

const std::shared_ptr<const Contract> kContract =
    std::make_shared<const Contract>(TokenContract(8, {3, 5}));

CoreSlice Slice(Batch batch, uint32_t shard, int64_t row_begin) {
  return *CoreSlice::Create(
      std::make_shared<const Batch>(std::move(batch)), kContract,
      {.device = shard, .shard = shard, .row_begin = row_begin, .rows = 2});
}
Batch Whole(uint64_t step = 0, size_t shape = 0) {
  return MakeBatch(*kContract, TopologyOf(4, 1, 0), step, shape, 1000);
}

TEST(BatchDigestTest, DigestIsOfTheRowsNotOfTheHostsBatch) {
  const Batch half = MakeBatch(*kContract, TopologyOf(4, 2, 1), 0, 0, 1000);
  EXPECT_EQ(DigestOf(Slice(Whole(), 2, 4)), DigestOf(Slice(half, 2, 0)));
}

TEST(BatchDigestTest, AnyChangeOfAnyByteShows) {
  const uint64_t digest = DigestOf(Slice(Whole(), 1, 2));
  EXPECT_NE(DigestOf(Slice(Whole(), 2, 2)), digest) << "shard";
  EXPECT_NE(DigestOf(Slice(Whole(1), 1, 2)), digest) << "step";
  for (size_t t = 0; t < 3; ++t) {
    const size_t row_bytes = Whole().tensors[t].bytes.size() / 8;
    for (size_t i = 2 * row_bytes; i < 4 * row_bytes; ++i) {
      Batch batch = Whole();
      batch.tensors[t].bytes[i] ^= std::byte{1};
      EXPECT_NE(DigestOf(Slice(batch, 1, 2)), digest) << t << " byte " << i;
    }
  }
  Batch ids = Whole();
  ids.record_ids[3] = 77;
  EXPECT_NE(DigestOf(Slice(ids, 1, 2)), digest) << "record ids";
  Batch epoch = Whole();
  epoch.epoch = 1;
  EXPECT_NE(DigestOf(Slice(epoch, 1, 2)), digest) << "epoch";
}

TEST(BatchDigestTest, RowsThatChangePlacesShow) {
  Batch swapped = Whole();
  std::swap(swapped.record_ids[2], swapped.record_ids[3]);
  EXPECT_NE(DigestOf(Slice(swapped, 1, 2)), DigestOf(Slice(Whole(), 1, 2)));
}

TEST(BatchDigestTest, RecordsThatMoveToAnotherRowShow) {
  Batch moved = Whole();
  --moved.row_offsets[3];
  EXPECT_NE(DigestOf(Slice(moved, 1, 2)), DigestOf(Slice(Whole(), 1, 2)));
}

TEST(RecordCensusTest, MissingAndDuplicatedAreExact) {
  RecordCensus census(6);
  census.Mark(0, std::vector<uint64_t>{0, 4, 2});
  census.Mark(0, std::vector<uint64_t>{4, 4, 5});
  const std::vector<EpochCensus> epochs = census.Epochs();
  ASSERT_EQ(epochs.size(), 1u);
  EXPECT_EQ(epochs[0].seen, 6u);
  EXPECT_EQ(epochs[0].duplicated, 2u);
  EXPECT_EQ(epochs[0].missing, 2u);
}

TEST(RecordCensusTest, EachEpochIsCountedByItself) {
  RecordCensus census(4);
  for (uint64_t epoch = 0; epoch < 5; ++epoch) {
    census.Mark(epoch, std::vector<uint64_t>{0, 1, 2, 3});
  }
  const std::vector<EpochCensus> epochs = census.Epochs();
  ASSERT_EQ(epochs.size(), 5u);
  for (uint64_t e = 0; e < 5; ++e) {
    EXPECT_EQ(epochs[e].epoch, e);
    EXPECT_EQ(epochs[e].duplicated, 0u);
    EXPECT_EQ(epochs[e].missing, 0u);
  }
  EXPECT_EQ(census.digest().count(), 20u);
}

TEST(RecordCensusTest, UnknownNumberOfRecordsFindsOnlyDuplicates) {
  RecordCensus census;
  census.Mark(0, std::vector<uint64_t>{1000, 3, 1000});
  EXPECT_EQ(census.Epochs()[0].duplicated, 1u);
  EXPECT_FALSE(census.Epochs()[0].missing.has_value());
}

TEST(RunLogTest, RowsTokensAndStepsAreCounted) {
  RunLog log(16, 2);
  // Records 0 to 4 are real: rows 4 and 5 are one of each.
  const Batch batch = MakeBatch(*kContract, TopologyOf(4, 1, 0), 0, 1, 5);
  for (uint32_t shard = 0; shard < 4; ++shard) {
    log.AddSlice(Slice(batch, shard, shard * 2));
  }
  log.AddStep({.end_ns = 5}, Slice(batch, 0, 0));
  EXPECT_EQ(log.rows().examples, 5u);
  EXPECT_EQ(log.rows().pad_rows, 3u);
  EXPECT_EQ(log.rows().real_tokens, 5u * 4);
  EXPECT_EQ(log.rows().all_tokens, 8u * 5);
  EXPECT_EQ(log.rows().bytes, 8u * (5 + 1 + 1) * 4);
  ASSERT_EQ(log.shapes().size(), 2u);
  EXPECT_EQ(log.shapes()[0].steps, 0u);
  EXPECT_EQ(log.shapes()[1].steps, 1u);
  EXPECT_EQ(log.state()->step, 1u);
  EXPECT_EQ(log.census().Epochs()[0].missing, 11u);
}

// A decoder's feature that is parsed in front of the one that arranges.
TEST(RunLogTest, TokensAreThoseOfTheFeatureWhoseLengthsBucketsHave) {
  Contract both = TokenContract(8, {3, 5});
  both.tensors.insert(both.tensors.begin(),
                      {{.name = "targets",
                        .type = ElementType::kInt32,
                        .row_shape = {TensorSpec::kOwnLength},
                        .own_lengths = {64, 64}},
                       {.name = "targets_length",
                        .type = ElementType::kInt32,
                        .row_shape = {},
                        .role = Role::kLengths}});
  Batch batch = MakeBatch(*kContract, TopologyOf(4, 1, 0), 0, 1, 8);
  std::vector<int32_t> targets(8 * 64, 1);
  std::vector<int32_t> lengths(8, 60);
  const auto tensor = [](std::vector<int32_t>& values,
                         std::vector<int64_t> shape) {
    return Tensor{.shape = std::move(shape),
                  .bytes = std::as_writable_bytes(std::span(values))};
  };
  batch.tensors.insert(batch.tensors.begin(),
                       {tensor(targets, {8, 64}), tensor(lengths, {8})});
  ASSERT_OK_AND_ASSIGN(
      const CoreSlice slice,
      CoreSlice::Create(std::make_shared<const Batch>(std::move(batch)),
                        std::make_shared<const Contract>(both), {.rows = 8}));
  RunLog log(8, 2);
  log.AddSlice(slice);
  EXPECT_EQ(log.rows().real_tokens, 8u * 4);
  EXPECT_EQ(log.rows().all_tokens, 8u * 5);
  EXPECT_DOUBLE_EQ(log.rows().padding_percent(), 20);
}

}  // namespace
}  // namespace penstock
