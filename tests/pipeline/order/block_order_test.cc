// Blocks change places whole, and windows mix their neighbours.
#include "pipeline/order/block_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace penstock {
namespace {

std::vector<uint64_t> IdsOf(const Order& order, uint64_t epoch) {
  std::vector<uint64_t> ids(order.records());
  order.Fill(epoch, 0, ids);
  return ids;
}

std::vector<uint64_t> Sorted(std::vector<uint64_t> ids) {
  std::sort(ids.begin(), ids.end());
  return ids;
}

// The blocks in the order in which they come; fails where one is torn.
std::vector<uint64_t> BlocksOf(const std::vector<uint64_t>& ids,
                               uint64_t block) {
  std::vector<uint64_t> blocks;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] % block == 0) {
      blocks.push_back(ids[i] / block);
    } else {
      EXPECT_EQ(ids[i], ids[i - 1] + 1);
    }
  }
  return blocks;
}

TEST(BlockOrderTest, EachRecordComesOnceAndBlocksStayWhole) {
  for (const uint64_t records : {1, 2, 6, 7, 8, 13, 14, 15, 700}) {
    for (const uint64_t block : {1, 2, 7, 14, 1000}) {
      const auto order = BlockOrder(FileOrder(records), block, {.seed = 3});
      for (const uint64_t epoch : {0, 1}) {
        const auto ids = IdsOf(*order, epoch);
        EXPECT_EQ(Sorted(ids), IdsOf(*FileOrder(records), 0));
        EXPECT_EQ(BlocksOf(ids, block).size(), (records + block - 1) / block);
      }
    }
  }
}

TEST(BlockOrderTest, BlocksOfSizesBeyondAllRecordsAreOne) {
  const auto order = ShuffledBlocks(FileOrder(9), UINT64_MAX, 0, {.seed = 3});
  EXPECT_EQ(Sorted(IdsOf(*order, 0)), IdsOf(*FileOrder(9), 0));
}

TEST(BlockOrderTest, AnyPositionsAreThoseOfTheWhole) {
  const auto order = ShuffledBlocks(FileOrder(103), 10, 33, {.seed = 3});
  const auto whole = IdsOf(*order, 5);
  for (uint64_t first = 0; first < 103; first += 9) {
    std::vector<uint64_t> part(std::min<uint64_t>(25, 103 - first));
    order->Fill(5, first, part);
    EXPECT_TRUE(std::equal(part.begin(), part.end(),
                           whole.begin() + static_cast<std::ptrdiff_t>(first)));
  }
  std::vector<uint64_t> positions = {102, 0, 7, 50, 7};
  order->Look(5, positions);
  EXPECT_THAT(positions, ::testing::ElementsAre(whole[102], whole[0], whole[7],
                                                whole[50], whole[7]));
}

// 4 blocks, the last of them short: 24 orders, each as likely.
TEST(BlockOrderTest, EveryOrderOfBlocksIsAsLikely) {
  constexpr int kEpochs = 24'000;
  const auto order = BlockOrder(FileOrder(11), 3, {.seed = 8});
  std::map<std::vector<uint64_t>, int> seen;
  for (uint64_t epoch = 0; epoch < kEpochs; ++epoch) {
    ++seen[BlocksOf(IdsOf(*order, epoch), 3)];
  }
  EXPECT_EQ(seen.size(), 24u);
  for (const auto& [blocks, count] : seen) {
    // 5 standard deviations. Epochs are fixed, so it is so always or never.
    EXPECT_NEAR(count, kEpochs / 24, 5 * 31);
  }
}

TEST(BlockOrderTest, AWindowReadsNoMoreBlocksThanItHolds) {
  constexpr uint64_t kBlock = 8;
  const auto order = ShuffledBlocks(FileOrder(1000), kBlock, 64, {.seed = 1});
  const auto ids = IdsOf(*order, 0);
  EXPECT_EQ(Sorted(ids), IdsOf(*FileOrder(1000), 0));
  for (size_t begin = 0; begin < ids.size(); begin += 64) {
    const size_t end = std::min(begin + 64, ids.size());
    std::set<uint64_t> blocks;
    for (size_t i = begin; i < end; ++i) blocks.insert(ids[i] / kBlock);
    EXPECT_LE(blocks.size(), 64 / kBlock + 1);
    EXPECT_FALSE(
        std::is_sorted(ids.begin() + static_cast<std::ptrdiff_t>(begin),
                       ids.begin() + static_cast<std::ptrdiff_t>(end)));
  }
}

TEST(BlockOrderTest, WithoutAWindowSixteenBlocksAreMixed) {
  EXPECT_EQ(WindowOfBlocks(10, 0), 160u);
  EXPECT_EQ(WindowOfBlocks(10, 7), 7u);
  EXPECT_EQ(WindowOfBlocks(UINT64_MAX, 0), UINT64_MAX);
  EXPECT_EQ(WindowOfBlocks(0, 7), 7u);
  EXPECT_EQ(WindowOfBlocks(0, 0), 0u);
}

TEST(BlockOrderTest, EpochsSeedsAndDataEachMoveBlocksAnew) {
  std::set<std::vector<uint64_t>> seen;
  for (const uint64_t seed : {1, 2}) {
    for (const uint64_t dataset : {1, 2}) {
      const auto order = BlockOrder(FileOrder(500), 5, {seed, dataset});
      for (const uint64_t epoch : {0, 1}) seen.insert(IdsOf(*order, epoch));
    }
  }
  EXPECT_EQ(seen.size(), 8u);
}

}  // namespace
}  // namespace penstock
