#include "infeed/sharding/reshard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "infeed/sharding/sharding_text.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::kInvalid;
using ::penstock::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Sharding Spec(const std::string& text) {
  return *Sharding::Create(*Mesh::Create({{"x", 4}, {"y", 2}}),
                           *ParsePartitionSpec(text));
}

ReshardPlan MovesOf(const Sharding& from, const Sharding& to) {
  return Reshard(from, to, {16, 8}, 4).value();
}

constexpr uint64_t kBytes = 16 * 8 * 4;

TEST(ReshardTest, EqualShardingsMoveNothing) {
  const ReshardPlan plan = MovesOf(Spec("x,y"), Spec("x,y"));
  EXPECT_EQ(plan.collective, Collective::kNothing);
  EXPECT_THAT(plan.moves, IsEmpty());
  EXPECT_EQ(plan.kept_bytes, kBytes);
}

TEST(ReshardTest, FinerTilesAreCutOnTheDevice) {
  const ReshardPlan plan = MovesOf(Spec("x,None"), Spec("x,y"));
  EXPECT_EQ(plan.collective, Collective::kSlice);
  EXPECT_EQ(plan.moved_bytes, 0u);
  EXPECT_EQ(plan.kept_bytes, kBytes);
}

// An all-gather of n shards brings (n - 1) / n of the whole to each device.
TEST(ReshardTest, CoarserTilesAreGathered) {
  const ReshardPlan plan = MovesOf(Spec("(x,y),None"), Spec("None,None"));
  EXPECT_EQ(plan.collective, Collective::kAllGather);
  EXPECT_EQ(plan.most_received_bytes, kBytes * 7 / 8);
  EXPECT_EQ(plan.most_sent_bytes, kBytes * 7 / 8);
  EXPECT_EQ(plan.moved_bytes, 8 * kBytes * 7 / 8);
}

// An all-to-all among n leaves 1 / n of each shard where it is.
TEST(ReshardTest, AnotherDimensionIsAllToAll) {
  const ReshardPlan plan = MovesOf(Spec("(x,y),None"), Spec("None,(x,y)"));
  EXPECT_EQ(plan.collective, Collective::kAllToAll);
  EXPECT_EQ(plan.most_sent_bytes, kBytes / 8 * 7 / 8);
  EXPECT_EQ(plan.moved_bytes, kBytes * 7 / 8);
  EXPECT_EQ(plan.kept_bytes, kBytes / 8);
}

TEST(ReshardTest, AnotherOrderOfDevicesIsAPermutation) {
  const ReshardPlan plan = MovesOf(Spec("(x,y),None"), Spec("(y,x),None"));
  EXPECT_EQ(plan.collective, Collective::kPermute);
  // Devices 0 and 7 keep their rows.
  EXPECT_THAT(plan.moves, SizeIs(6));
  EXPECT_EQ(plan.moves[0].from, 4u);
  EXPECT_EQ(plan.moves[0].to, 1u);
  EXPECT_THAT(plan.moves[0].block,
              ElementsAre(IndexRange{8, 10}, IndexRange{0, 8}));
}

TEST(ReshardTest, OneDeviceScattersAndGathers) {
  const Sharding stage = *Sharding::OneDevice(2, 8);
  const ReshardPlan scatter = MovesOf(stage, Spec("(x,y),None"));
  EXPECT_EQ(scatter.collective, Collective::kScatter);
  EXPECT_EQ(scatter.moved_bytes, kBytes * 7 / 8);
  EXPECT_EQ(scatter.most_sent_bytes, kBytes * 7 / 8);
  const ReshardPlan gather = MovesOf(Spec("(x,y),None"), stage);
  EXPECT_EQ(gather.collective, Collective::kGather);
  EXPECT_EQ(gather.most_received_bytes, kBytes * 7 / 8);
  const ReshardPlan next = MovesOf(stage, *Sharding::OneDevice(3, 8));
  EXPECT_THAT(next.moves, SizeIs(1));
  EXPECT_EQ(next.moved_bytes, kBytes);
  EXPECT_EQ(next.collective, Collective::kPermute);
}

TEST(ReshardTest, CopiesShareTheSendingAndHostsKeepToThemselves) {
  // Four copies of each half; all of it everywhere.
  const ReshardPlan shared = MovesOf(Spec("y,None"), Spec("None,None"));
  EXPECT_EQ(shared.most_sent_bytes, kBytes / 2);
  ASSERT_OK_AND_ASSIGN(const ReshardPlan local,
                       Reshard(Spec("y,None"), Spec("None,None"), {16, 8}, 4,
                               *DeviceHosts::Blocks(8, 4)));
  EXPECT_EQ(local.between_hosts_bytes, 0u);
  ASSERT_OK_AND_ASSIGN(const ReshardPlan far,
                       Reshard(Spec("x,None"), Spec("None,None"), {16, 8}, 4,
                               *DeviceHosts::Blocks(8, 4)));
  EXPECT_EQ(far.between_hosts_bytes, far.moved_bytes);
}

// The plan done step by step on arrays, for random shardings and sizes.
TEST(ReshardTest, DoneStepByStepItGivesTheNewShards) {
  std::mt19937 random(23);
  for (int round = 0; round < 200; ++round) {
    const auto size = [&](uint32_t most) {
      return static_cast<int64_t>(random() % most + 1);
    };
    const std::vector<MeshAxis> axes = {
        {"a", size(3)}, {"b", size(3)}, {"c", size(2)}};
    const auto devices =
        static_cast<uint32_t>(axes[0].size * axes[1].size * axes[2].size);
    const auto sharding = [&] {
      if (random() % 8 == 0) {
        return *Sharding::OneDevice(random() % devices, devices);
      }
      std::vector<uint32_t> order(devices);
      std::iota(order.begin(), order.end(), 0u);
      if (random() % 2 == 0) std::shuffle(order.begin(), order.end(), random);
      PartitionSpec spec(2);
      for (const char* axis : {"a", "b", "c"}) {
        const auto d = random() % 3;
        if (d < 2) spec[d].emplace_back(axis);
      }
      return *Sharding::Create(*Mesh::Create(axes, order), spec);
    };
    const Sharding from = sharding();
    const Sharding to = sharding();
    const std::vector<int64_t> shape = {size(12), size(12)};
    ASSERT_OK_AND_ASSIGN(const ReshardPlan plan, Reshard(from, to, shape, 1));
    const auto each = [](const std::vector<IndexRange>& block, auto call) {
      for (int64_t r = block[0].begin; r < block[0].end; ++r) {
        for (int64_t c = block[1].begin; c < block[1].end; ++c) {
          call(std::pair(r, c));
        }
      }
    };
    using Elements = std::map<std::pair<int64_t, int64_t>, int>;
    std::vector<Elements> before(devices);
    std::vector<Elements> after(devices);
    for (uint32_t d = 0; d < devices; ++d) {
      each(from.RangesOf(d, shape), [&](auto e) { before[d][e] = 1; });
      each(to.RangesOf(d, shape),
           [&](auto e) { after[d][e] = before[d].contains(e) ? 1 : 0; });
    }
    uint64_t moved = 0;
    for (const Move& move : plan.moves) {
      EXPECT_NE(move.from, move.to);
      each(move.block, [&](auto e) {
        EXPECT_TRUE(before[move.from].contains(e));
        ASSERT_TRUE(after[move.to].contains(e));
        ++after[move.to][e];
        ++moved;
      });
    }
    for (const Elements& elements : after) {
      for (const auto& [element, times] : elements) EXPECT_EQ(times, 1);
    }
    EXPECT_EQ(moved, plan.moved_bytes);
  }
}

TEST(ReshardTest, MistakesAreNamed) {
  EXPECT_THAT(Reshard(Spec("x"), Sharding::Replicated(4), {8}, 4),
              StatusIs(kInvalid, HasSubstr("8 and 4 devices")));
  EXPECT_THAT(Reshard(Spec("x,y"), Spec("x,y"), {8}, 4),
              StatusIs(kInvalid, HasSubstr("2 dimensions for the shape [8]")));
  EXPECT_THAT(Reshard(Spec("x"), Spec("y"), {8}, 4, *DeviceHosts::Blocks(4, 2)),
              StatusIs(kInvalid, HasSubstr("8 and 4 devices")));
}

}  // namespace
}  // namespace penstock
