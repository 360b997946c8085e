// An arranger for each host, whose parts meet in a batch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "pipeline/arrange/arranger.h"
#include "pipeline/arrange/ready_parts.h"
#include "pipeline/order/record_shares.h"

namespace penstock::testing {
namespace {

using ::testing::ElementsAre;

// Host 0 has even records and rows 0 and 1 of a batch, host 1 the others.
ArrangeOptions OfTwoHosts() {
  const auto shares = std::make_shared<const RecordShares>(
      ShardBy::kRecord, 2, /*drop=*/false,
      std::vector<SharedSource>{{.order = FileOrder(1000)}});
  return {.rows = 4,
          .lengths = {4, 8},
          .shares = ShareRule{.shares = shares, .rows = {{{0, 1}}, {{2, 3}}}},
          .row_bytes = {4, 8}};
}

class ShardedArrangerTest : public ::testing::Test {
 protected:
  // The records of a batch that is due with this row, 0 for rows that pad.
  static std::vector<uint64_t> AddTo(Arranger& arranger, uint64_t record,
                                     uint32_t length) {
    const Row row = {.record = record, .length = length};
    Assignment out;
    const Arranged arranged = arranger.Add(std::span(&row, 1), out);
    EXPECT_EQ(arranged.taken, 1u);
    return arranged.due ? RecordsOf(out) : std::vector<uint64_t>();
  }
  static std::vector<uint64_t> RecordsOf(const Assignment& batch) {
    std::vector<uint64_t> records;
    for (size_t row = 0; row + 1 < batch.row_offsets.size(); ++row) {
      const uint32_t at = batch.row_offsets[row];
      records.push_back(
          at == batch.row_offsets[row + 1] ? 0 : batch.pieces[at].record);
    }
    return records;
  }
  std::vector<uint64_t> Add(uint64_t record, uint32_t length = 8) {
    return AddTo(*arranger_, record, length);
  }

  const std::unique_ptr<Arranger> arranger_ = MakeArranger(OfTwoHosts());
};

TEST_F(ShardedArrangerTest, ABatchIsDueWhenEachHostHasItsPart) {
  EXPECT_THAT(Add(2), ElementsAre());
  EXPECT_THAT(Add(3), ElementsAre());
  EXPECT_THAT(Add(4), ElementsAre());
  EXPECT_THAT(Add(5, 3), ElementsAre());  // of the other length
  EXPECT_THAT(Add(7), ElementsAre(2, 4, 3, 7));
  EXPECT_EQ(arranger_->held_rows(), 1u);
}

TEST_F(ShardedArrangerTest, AHostWaitsSixteenPartsForAnother) {
  for (uint64_t row = 1; row <= 2 * ReadyParts::kMostParts + 1; ++row) {
    EXPECT_THAT(Add(2 * row), ElementsAre());
  }
  EXPECT_EQ(arranger_->counts().forced, 0u);
  EXPECT_THAT(Add(68), ElementsAre(2, 4, 0, 0));
  EXPECT_EQ(arranger_->counts().forced, 1u);
  EXPECT_THAT(Add(1), ElementsAre());
  EXPECT_THAT(Add(3), ElementsAre(6, 8, 1, 3));
  Assignment out;
  while (arranger_->Flush(out)) {
  }
  EXPECT_EQ(arranger_->counts().forced, 1u);  // what is left over is not
}

TEST_F(ShardedArrangerTest, WhatIsReadyIsHeldAndGoesOnAsItWould) {
  for (uint64_t row = 1; row <= 7; ++row) Add(2 * row, 2 + row % 5);
  const std::vector<HeldPiece> held = arranger_->Held();
  ASSERT_EQ(held.size(), 7u);
  EXPECT_NE(held[0].bin & ReadyParts::kBin, 0u);
  std::vector<Row> rows;
  for (const HeldPiece& piece : held) {
    rows.push_back({.record = piece.record,
                    .length = static_cast<uint32_t>(2 + piece.record / 2 % 5)});
  }
  const std::unique_ptr<Arranger> other = MakeArranger(OfTwoHosts());
  ASSERT_TRUE(other->Load(held, rows));
  EXPECT_EQ(other->Held(), held);
  size_t due = 0;
  for (uint64_t row = 0; row < 8; ++row) {
    const uint32_t length = row % 2 == 0 ? 3 : 7;
    const std::vector<uint64_t> batch = Add(2 * row + 1, length);
    EXPECT_EQ(AddTo(*other, 2 * row + 1, length), batch);
    due += batch.empty() ? 0 : 1;
  }
  EXPECT_GT(due, 2u);
  Assignment one, two;
  while (arranger_->Flush(one)) {
    ASSERT_TRUE(other->Flush(two));
    EXPECT_EQ(RecordsOf(one), RecordsOf(two));
  }
  EXPECT_FALSE(other->Flush(two));
}

TEST_F(ShardedArrangerTest, WhatCannotHaveWaitedIsNotLoaded) {
  const auto loads = [&](const std::vector<HeldPiece>& held) {
    std::vector<Row> rows;
    for (const HeldPiece& piece : held) {
      rows.push_back({.record = piece.record, .length = 8});
    }
    return MakeArranger(OfTwoHosts())->Load(held, rows);
  };
  constexpr uint32_t kBin = ReadyParts::kBin;
  EXPECT_TRUE(loads({{2, 0, kBin}, {4, 0, kBin | 1}, {6, 0, 0}, {3, 0, 0}}));
  EXPECT_FALSE(loads({{2, 0, kBin}, {4, 0, kBin}}));  // one row
  EXPECT_FALSE(loads({{2, 0, kBin | 8}}));            // no part before
  EXPECT_FALSE(loads({{2, 1, kBin}}));                // cut
  EXPECT_FALSE(loads({{3, 0, 0}, {2, 0, 0}}));        // hosts mixed
  EXPECT_FALSE(loads({{2, 0, 0}, {4, 0, 0}}));        // a part is full
}

}  // namespace
}  // namespace penstock::testing
