// Orders that stand on others: whatever they are made of, any part of any epoch
// is that of the whole, and any position looked at alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "pipeline/order/kept_order.h"
#include "pipeline/order/mix_order.h"
#include "pipeline/order/order.h"
#include "pipeline/order/view_order.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Shared = std::shared_ptr<const Order>;

std::vector<uint64_t> Filled(const Order& order, uint64_t epoch, uint64_t first,
                             uint64_t count) {
  std::vector<uint64_t> ids(count);
  order.Fill(epoch, first, ids);
  return ids;
}

std::vector<uint64_t> Whole(const Shared& order, uint64_t epoch = 0) {
  return Filled(*order, epoch, 0, order->records());
}

Shared Mixed(std::vector<MixPart> parts, MixStop stop) {
  auto mix = MixOrder::Create(std::move(parts), stop);
  EXPECT_OK(mix);
  return *std::move(mix);
}

// A graph drawn at random over sources with ids that follow each other.
class RandomTree {
 public:
  explicit RandomTree(uint64_t seed) : random_(seed) {}

  Shared Make(int depth) {
    const uint64_t kind = depth == 0 ? 0 : Draw(7);
    if (kind == 0) return Leaf();
    if (kind == 1) {
      return ShuffledOrder(Make(depth - 1), {.seed = Draw(100)});
    }
    if (kind == 2) {
      return WindowOrder(Make(depth - 1), 1 + Draw(20), {.seed = Draw(100)});
    }
    if (kind == 3) return RepeatOrder(Make(depth - 1), 1 + Draw(3));
    if (kind == 4) {
      const Shared of =
          Draw(4) == 0 ? Shared(RepeatOrder(Leaf(), 0)) : Make(depth - 1);
      const uint64_t most = std::min<uint64_t>(of->records(), 100);
      const uint64_t begin = Draw(most);
      return SliceOrder(of, begin, 1 + Draw(most - begin));
    }
    if (kind == 5) {
      std::vector<Shared> parts(1 + Draw(3));
      for (Shared& part : parts) part = Make(depth - 1);
      return ConcatOrder(std::move(parts));
    }
    std::vector<MixPart> parts(1 + Draw(4));
    for (MixPart& part : parts) {
      part = {Make(depth - 1), 0.1 + static_cast<double>(Draw(30))};
    }
    return Mixed(std::move(parts), static_cast<MixStop>(Draw(3)));
  }

  uint64_t Draw(uint64_t below) { return random_() % below; }
  uint64_t ids() const { return ids_; }

 private:
  Shared Leaf() {
    const uint64_t records = 2 + Draw(40);
    const uint64_t first = ids_;
    ids_ += records;
    if (Draw(3) != 0) return FileOrder(records, first);
    if (Draw(2) == 0) {
      std::vector<uint64_t> bits =
          SplitBits({.seed = Draw(100), .end = 0.75}, records);
      bits[0] |= 1;
      return KeptOrder(std::move(bits), records, first);
    }
    std::vector<uint64_t> excluded;
    for (uint64_t i = 0; i + 1 < records; ++i) {
      if (Draw(4) == 0) excluded.push_back(i);
    }
    return ExcludeOrder(records, first, std::move(excluded));
  }

  std::mt19937_64 random_;
  uint64_t ids_ = 0;
};

std::vector<uint64_t> Sorted(std::vector<uint64_t> ids) {
  std::ranges::sort(ids);
  return ids;
}

TEST(TreeOrderTest, PartsAndSinglePositionsAreThoseOfTheWhole) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomTree tree(seed);
    const Shared order = tree.Make(1 + static_cast<int>(seed % 4));
    const uint64_t records = order->records();
    ASSERT_LE(order->id_limit(), tree.ids());
    for (const uint64_t epoch : {0, 1, 5}) {
      const std::vector<uint64_t> whole = Whole(order, epoch);
      ASSERT_LT(*std::ranges::max_element(whole), order->id_limit());
      const uint64_t first = tree.Draw(records);
      const uint64_t count = 1 + tree.Draw(records - first);
      const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(first);
      ASSERT_EQ(Filled(*order, epoch, first, count),
                std::vector<uint64_t>(
                    begin, begin + static_cast<std::ptrdiff_t>(count)))
          << "tree " << seed;
      std::vector<uint64_t> positions(50);
      for (uint64_t& position : positions) position = tree.Draw(records);
      std::vector<uint64_t> looked = positions;
      order->Look(epoch, looked);
      for (size_t i = 0; i < positions.size(); ++i) {
        ASSERT_EQ(looked[i], whole[positions[i]]) << "tree " << seed;
      }
    }
  }
}

// What orders say of themselves is so.
TEST(TreeOrderTest, EpochsShareWhatTheySay) {
  std::map<InCommon, int> seen;
  int wholes = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomTree tree(seed);
    const Shared order = tree.Make(1 + static_cast<int>(seed % 3));
    const auto first = Whole(order, 0);
    ++seen[order->epochs_share()];
    if (order->epochs_share() != InCommon::kNothing) {
      EXPECT_EQ(Sorted(Whole(order, 3)), Sorted(first)) << "tree " << seed;
    }
    if (order->epochs_share() == InCommon::kPositions) {
      EXPECT_EQ(Whole(order, 3), first) << "tree " << seed;
    }
    if (order->distinct()) {
      for (const uint64_t epoch : {0, 1, 2}) {
        const auto ids = Sorted(Whole(order, epoch));
        EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end()) << seed;
      }
    }
    if (!order->whole()) continue;
    ++wholes;
    std::vector<uint64_t> all(tree.ids());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(Sorted(first), all) << "tree " << seed;
  }
  EXPECT_GT(wholes, 20);
  EXPECT_EQ(seen.size(), 3u);
}

TEST(MixOrderTest, EndsWithTheFirstThatEnds) {
  const Shared mix =
      Mixed({{FileOrder(100), 1}, {FileOrder(4, 100), 1}}, MixStop::kFirst);
  // Four rows of the second, and not one turn more.
  EXPECT_EQ(
      std::ranges::count_if(Whole(mix), [](uint64_t id) { return id >= 100; }),
      4);
  EXPECT_LE(mix->records(), 9u);
  EXPECT_EQ(mix->epochs_share(), InCommon::kNothing);
}

TEST(MixOrderTest, PartsThatEndLeaveAndTheOthersKeepTheirRatio) {
  const Shared mix = Mixed(
      {{FileOrder(30), 3}, {FileOrder(200, 30), 1}, {FileOrder(100, 230), 1}},
      MixStop::kLast);
  const std::vector<uint64_t> ids = Whole(mix);
  ASSERT_EQ(ids.size(), 330u);
  EXPECT_TRUE(mix->whole());
  std::vector<uint64_t> all(330);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(Sorted(ids), all);
  // The first leaves after 50; then the other two take turns.
  EXPECT_LE(std::ranges::find(ids, 29u) - ids.begin(), 50);
  for (size_t i = 52; i + 1 < 230; i += 2) {
    EXPECT_NE(ids[i] < 230, ids[i + 1] < 230) << i;
  }
  for (size_t i = 232; i < 330; ++i) EXPECT_TRUE(ids[i] >= 30 && ids[i] < 230);
}

TEST(MixOrderTest, PartsThatEndBeginAgainInAnotherOrder) {
  const Shared small = ShuffledOrder(FileOrder(10), {.seed = 1});
  const Shared mix =
      Mixed({{small, 1}, {FileOrder(40, 10), 1}}, MixStop::kRepeat);
  ASSERT_EQ(mix->records(), 80u);
  std::vector<uint64_t> drawn;
  for (const uint64_t id : Whole(mix)) {
    if (id < 10) drawn.push_back(id);
  }
  ASSERT_EQ(drawn.size(), 40u);
  std::vector<uint64_t> expected;
  for (uint64_t epoch = 0; epoch < 4; ++epoch) {
    const auto ids = Whole(small, epoch);
    expected.insert(expected.end(), ids.begin(), ids.end());
  }
  EXPECT_EQ(drawn, expected);
}

// Whatever the epochs of the mix, each part runs through its own.
TEST(MixOrderTest, APartGoesOnWhereTheEpochBeforeStopped) {
  const Shared large = ShuffledOrder(FileOrder(97), {.seed = 1});
  const Shared mix =
      Mixed({{large, 7}, {FileOrder(10, 97), 3}}, MixStop::kFirst);
  std::vector<uint64_t> drawn;
  for (uint64_t epoch = 0; epoch < 9; ++epoch) {
    for (const uint64_t id : Whole(mix, epoch)) {
      if (id < 97) drawn.push_back(id);
    }
  }
  ASSERT_GT(drawn.size(), 2 * 97u);
  const auto first = Whole(large, 0);
  const auto second = Whole(large, 1);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), drawn.begin()));
  EXPECT_TRUE(std::equal(second.begin(), second.end(), drawn.begin() + 97));
}

// Also where mixes are mixed, and epochs end.
TEST(MixOrderTest, NoPrefixOfAnEpochIsOffByARow) {
  const Shared inner = Mixed({{FileOrder(1000), 2}, {FileOrder(1000, 1000), 1}},
                             MixStop::kRepeat);
  const Shared mix =
      Mixed({{inner, 0.6}, {FileOrder(5000, 2000), 0.4}}, MixStop::kFirst);
  for (const uint64_t epoch : {0, 1}) {
    double rows = 0;
    double position = 0;
    for (const uint64_t id : Whole(mix, epoch)) {
      ++position;
      rows += id >= 2000;
      ASSERT_LT(std::abs(rows - 0.4 * position), 1) << position;
    }
  }
}

TEST(MixOrderTest, WhatNeverEndsIsMixedUntilAnotherEnds) {
  const Shared endless = RepeatOrder(FileOrder(3), 0);
  EXPECT_EQ(
      Mixed({{endless, 1}, {FileOrder(10, 3), 1}}, MixStop::kFirst)->records(),
      21u);  // where the eleventh would come
  EXPECT_EQ(
      Mixed({{endless, 1}, {FileOrder(10, 3), 1}}, MixStop::kRepeat)->records(),
      20u);
  EXPECT_EQ(Mixed({{endless, 1}}, MixStop::kRepeat)->records(), kEndless);
  EXPECT_THAT(MixOrder::Create({{endless, 1}}, MixStop::kLast),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("for ever")));
}

TEST(MixOrderTest, MistakesAreNamed) {
  const auto refused = [](std::vector<MixPart> parts, const char* words) {
    EXPECT_THAT(MixOrder::Create(std::move(parts), MixStop::kFirst),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr(words)));
  };
  refused({}, "no datasets");
  refused({{FileOrder(1), 1}, {FileOrder(1), 0}},
          "source 1 of Mix has weight 0");
  refused({{FileOrder(1), -2}}, "weight -2");
  refused({{FileOrder(1), std::numeric_limits<double>::quiet_NaN()}}, "nan");
  refused({{FileOrder(0), 1}}, "source 0 of Mix has no records");
  refused(std::vector<MixPart>(1025, {FileOrder(1), 1}), "1024 is the most");
}

TEST(MixOrderTest, SharesAreTheRoundedWeightsAndTheRowsOfAnEpoch) {
  ASSERT_OK_AND_ASSIGN(
      const auto mix,
      MixOrder::Create({{FileOrder(70), 0.7}, {FileOrder(100, 70), 0.3}},
                       MixStop::kFirst));
  EXPECT_DOUBLE_EQ(mix->shares()[0].weight, 0.7);
  EXPECT_EQ(mix->shares()[0].rows, 70u);
  EXPECT_EQ(mix->shares()[1].rows, mix->records() - 70);
}

TEST(ViewOrderTest, ExcludedRecordsAreLeftOut) {
  const Shared order = ExcludeOrder(10, 100, {0, 1, 4, 9});
  EXPECT_THAT(Whole(order), ElementsAre(102, 103, 105, 106, 107, 108));
  EXPECT_FALSE(order->whole());
  EXPECT_EQ(order->table_bytes(), 32u);
}

}  // namespace
}  // namespace penstock::testing
