#include "pipeline/order/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace penstock {
namespace {

std::vector<uint64_t> Epoch(const Order& order, uint64_t epoch) {
  std::vector<uint64_t> ids(order.records());
  order.Fill(epoch, 0, ids);
  return ids;
}

// How many positions two orders of as many records agree on.
size_t Agreeing(const std::vector<uint64_t>& a,
                const std::vector<uint64_t>& b) {
  size_t same = 0;
  for (size_t i = 0; i < a.size(); ++i) same += a[i] == b[i];
  return same;
}

void ExpectBijection(std::vector<uint64_t> ids) {
  std::sort(ids.begin(), ids.end());
  for (size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(ids[i], i);
}

TEST(OrderTest, WithoutShuffleRecordsComeInOrder) {
  const auto ids = Epoch(Order(100, {}), 3);
  for (size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i], i);
}

TEST(OrderTest, EveryKindSeesEachRecordOnce) {
  for (const uint64_t records : {1, 2, 3, 64, 65, 1000}) {
    for (const uint64_t window : {0, 1, 2, 7, 64, 5000}) {
      ExpectBijection(
          Epoch(Order(records,
                      {.shuffle = true, .seed = 1, .window_records = window}),
                0));
    }
  }
}

TEST(OrderTest, PartsOfAnEpochAreThoseOfTheWhole) {
  for (const uint64_t window : {0, 10}) {
    const Order order(103,
                      {.shuffle = true, .seed = 1, .window_records = window});
    const auto whole = Epoch(order, 2);
    for (uint64_t first = 0; first < 103; first += 9) {
      std::vector<uint64_t> part(std::min<uint64_t>(25, 103 - first));
      order.Fill(2, first, part);
      EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + first));
      EXPECT_EQ(order.RecordAt(2, first), whole[first]);
    }
  }
}

// With seed + epoch these two would be the same order. Two random orders agree
// on one record on average.
TEST(OrderTest, EpochsOfNeighbouringSeedsAreUnrelated) {
  constexpr uint64_t kRecords = 5000;
  const Order seed42(kRecords, {.shuffle = true, .seed = 42});
  const Order seed43(kRecords, {.shuffle = true, .seed = 43});
  EXPECT_LT(Agreeing(Epoch(seed42, 1), Epoch(seed43, 0)), 10u);
  EXPECT_LT(Agreeing(Epoch(seed42, 0), Epoch(seed42, 1)), 10u);
}

TEST(OrderTest, EqualSeedsShuffleOtherDataInOtherWays) {
  constexpr uint64_t kRecords = 5000;
  const Order one(kRecords,
                  {.shuffle = true, .seed = 1, .dataset_fingerprint = 1});
  const Order two(kRecords,
                  {.shuffle = true, .seed = 1, .dataset_fingerprint = 2});
  EXPECT_LT(Agreeing(Epoch(one, 0), Epoch(two, 0)), 10u);
}

TEST(OrderTest, WindowsKeepTheirRecords) {
  const Order order(95, {.shuffle = true, .seed = 1, .window_records = 10});
  const auto ids = Epoch(order, 0);
  for (size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i] / 10, i / 10);
  // Windows are not shuffled alike.
  std::vector<uint64_t> first(ids.begin(), ids.begin() + 10);
  std::vector<uint64_t> second(ids.begin() + 10, ids.begin() + 20);
  for (uint64_t& id : second) id -= 10;
  EXPECT_NE(first, second);
}

TEST(OrderTest, AWindowOfUnknownEndIsTheSameOnceItsEndIsKnown) {
  const OrderOptions options = {
      .shuffle = true, .seed = 1, .window_records = 10};
  const auto ids = Epoch(Order(95, options), 4);
  std::vector<uint64_t> last(5);
  FillWindow(options, 4, 9, 5, 0, last);
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(last[i] + 90, ids[90 + i]);
}

}  // namespace
}  // namespace penstock
