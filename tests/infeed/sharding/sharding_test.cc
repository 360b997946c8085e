// The tables are those of JAX's own multi-process tests and of torch_xla's
// sharding tests, or computed by hand from GSPMD's rule where said so.
#include "infeed/sharding/sharding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

#include "infeed/sharding/hlo_text.h"
#include "tests/support/status_matchers.h"

namespace penstock {

void PrintTo(const IndexRange& range, std::ostream* out) {
  *out << "[" << range.begin << "," << range.end << ")";
}

namespace {

using ::penstock::testing::kInvalid;
using ::penstock::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Sharding Make(std::vector<MeshAxis> axes, PartitionSpec spec) {
  return Sharding::Create(*Mesh::Create(std::move(axes)), std::move(spec))
      .value();
}

const std::vector<MeshAxis> kMesh = {{"x", 4}, {"y", 2}};

// JAX: mesh 4x2, shape (8, 2).
TEST(ShardingTest, JaxTableOfAnEightByTwoTensor) {
  const Sharding xy = Make(kMesh, {{"x"}, {"y"}});
  const Sharding x = Make(kMesh, {{"x"}, {}});
  const Sharding y = Make(kMesh, {{"y"}, {}});
  const Sharding both = Make(kMesh, {{"x", "y"}, {}});
  const Sharding none = Make(kMesh, {{}, {}});
  for (uint32_t d = 0; d < 8; ++d) {
    const int64_t x_row = 2 * (d / 2);
    const int64_t y_row = 4 * (d % 2);
    const int64_t column = d % 2;
    EXPECT_THAT(xy.RangesOf(d, {8, 2}),
                ElementsAre(IndexRange{x_row, x_row + 2},
                            IndexRange{column, column + 1}));
    EXPECT_EQ(xy.ReplicaOf(d), 0);
    EXPECT_THAT(x.RangesOf(d, {8, 2}),
                ElementsAre(IndexRange{x_row, x_row + 2}, IndexRange{0, 2}));
    EXPECT_EQ(x.ReplicaOf(d), d % 2);
    EXPECT_THAT(y.RangesOf(d, {8, 2}),
                ElementsAre(IndexRange{y_row, y_row + 4}, IndexRange{0, 2}));
    EXPECT_EQ(y.ReplicaOf(d), d / 2);
    EXPECT_THAT(both.RangesOf(d, {8, 2}),
                ElementsAre(IndexRange{d, d + 1}, IndexRange{0, 2}));
    EXPECT_EQ(both.ReplicaOf(d), 0);
    EXPECT_THAT(none.RangesOf(d, {8, 2}),
                ElementsAre(IndexRange{0, 8}, IndexRange{0, 2}));
    EXPECT_EQ(none.ReplicaOf(d), d);
  }
}

TEST(ShardingTest, HloTextIsWhatJaxPrints) {
  EXPECT_EQ(HloText(Make(kMesh, {{"x"}, {"y"}})),
            "{devices=[4,2]0,1,2,3,4,5,6,7}");
  EXPECT_EQ(HloText(Make(kMesh, {{"x"}, {}})),
            "{devices=[4,1,2]0,1,2,3,4,5,6,7 last_tile_dim_replicate}");
  EXPECT_EQ(HloText(Make(kMesh, {{"y"}, {}})),
            "{devices=[2,1,4]0,2,4,6,1,3,5,7 last_tile_dim_replicate}");
  EXPECT_EQ(HloText(Make(kMesh, {{"x", "y"}, {}})),
            "{devices=[8,1]0,1,2,3,4,5,6,7}");
  EXPECT_EQ(HloText(Make(kMesh, {{}, {}})), "{replicated}");
  EXPECT_EQ(HloText(Make(kMesh, {{"y"}, {"x"}})),
            "{devices=[2,4]0,2,4,6,1,3,5,7}");
}

// JAX: P('y', 'x') on (8, 4).
TEST(ShardingTest, SwappedAxesPutRowsAlongTheMinorAxis) {
  const Sharding yx = Make(kMesh, {{"y"}, {"x"}});
  EXPECT_THAT(yx.tiles(), ElementsAre(2, 4));
  EXPECT_THAT(yx.RangesOf(0, {8, 4}),
              ElementsAre(IndexRange{0, 4}, IndexRange{0, 1}));
  EXPECT_THAT(yx.RangesOf(1, {8, 4}),
              ElementsAre(IndexRange{4, 8}, IndexRange{0, 1}));
}

// JAX: shard shapes on (8, 4).
TEST(ShardingTest, ShardShapesAreJaxs) {
  const std::vector<int64_t> shape = {8, 4};
  EXPECT_THAT(Make(kMesh, {{"x"}, {"y"}}).ShardShape(shape), ElementsAre(2, 2));
  EXPECT_THAT(Make(kMesh, {{"x"}, {}}).ShardShape(shape), ElementsAre(2, 4));
  EXPECT_THAT(Make(kMesh, {{"y"}, {}}).ShardShape(shape), ElementsAre(4, 4));
  EXPECT_THAT(Make(kMesh, {{}, {"y"}}).ShardShape(shape), ElementsAre(8, 2));
  EXPECT_THAT(Make(kMesh, {{}, {"x"}}).ShardShape(shape), ElementsAre(8, 1));
  EXPECT_THAT(Make(kMesh, {{"x", "y"}, {}}).ShardShape(shape),
              ElementsAre(1, 4));
  EXPECT_THAT(Make(kMesh, {{}, {}}).ShardShape(shape), ElementsAre(8, 4));
}

TEST(ShardingTest, WhatJaxRefusesDoesNotSplitEvenly) {
  const Sharding xy = Make(kMesh, {{"x"}, {"y"}});
  EXPECT_TRUE(xy.SplitsEvenly({8, 2}));
  EXPECT_FALSE(xy.SplitsEvenly({8, 3}));
}

// Computed: mesh 4x2, batch (16, 128), two devices a host.
TEST(ShardingTest, TupleOfAxesHasItsMajorAxisFirst) {
  const Sharding yx = Make(kMesh, {{"y", "x"}, {}});
  // Host 0 has devices 0 and 1: rows that do not touch.
  EXPECT_EQ(yx.RangesOf(0, {16, 128})[0], (IndexRange{0, 2}));
  EXPECT_EQ(yx.RangesOf(1, {16, 128})[0], (IndexRange{8, 10}));
  EXPECT_EQ(yx.RangesOf(2, {16, 128})[0], (IndexRange{2, 4}));
  EXPECT_EQ(yx.RangesOf(3, {16, 128})[0], (IndexRange{10, 12}));
  EXPECT_EQ(yx.RangesOf(7, {16, 128})[0], (IndexRange{14, 16}));
  const Sharding columns = Make(kMesh, {{}, {"y"}});
  EXPECT_THAT(columns.RangesOf(0, {16, 128}),
              ElementsAre(IndexRange{0, 16}, IndexRange{0, 64}));
  EXPECT_THAT(columns.RangesOf(1, {16, 128}),
              ElementsAre(IndexRange{0, 16}, IndexRange{64, 128}));
}

struct UnevenCase {
  int64_t size;
  int64_t shards;
  int64_t shard;
  int64_t padded;
  std::vector<int64_t> valid;
};

// Computed from GSPMD's rule: shards of ceil(n / k), right padded.
TEST(ShardingTest, UnevenSizesLeaveTheLastShardsShortOrEmpty) {
  const std::vector<UnevenCase> cases = {
      {103, 4, 26, 104, {26, 26, 26, 25}},
      {103, 8, 13, 104, {13, 13, 13, 13, 13, 13, 13, 12}},
      {5, 4, 2, 8, {2, 2, 1, 0}},
      {9, 8, 2, 16, {2, 2, 2, 2, 1, 0, 0, 0}},
      {100, 16, 7, 112, {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 2, 0}},
      {1003, 8, 126, 1008, {126, 126, 126, 126, 126, 126, 126, 121}},
  };
  for (const UnevenCase& c : cases) {
    const Sharding sharding = Make({{"x", c.shards}}, {{"x"}});
    EXPECT_THAT(sharding.ShardShape({c.size}), ElementsAre(c.shard));
    EXPECT_THAT(sharding.PaddedShape({c.size}), ElementsAre(c.padded));
    for (uint32_t d = 0; d < c.shards; ++d) {
      EXPECT_EQ(sharding.RangesOf(d, {c.size})[0].size(), c.valid[d])
          << c.size << "/" << c.shards << " device " << d;
    }
  }
}

// torch_xla's tests of uneven tensors.
TEST(ShardingTest, TorchXlaTables) {
  const Sharding two = Make({{"x", 2}, {"y", 2}}, {{"x"}, {"y"}});
  EXPECT_THAT(two.RangesOf(0, {8, 7}),
              ElementsAre(IndexRange{0, 4}, IndexRange{0, 4}));
  EXPECT_THAT(two.RangesOf(1, {8, 7}),
              ElementsAre(IndexRange{0, 4}, IndexRange{4, 7}));
  EXPECT_THAT(two.RangesOf(2, {8, 7}),
              ElementsAre(IndexRange{4, 8}, IndexRange{0, 4}));
  EXPECT_THAT(two.RangesOf(3, {8, 7}),
              ElementsAre(IndexRange{4, 8}, IndexRange{4, 7}));

  const auto sizes = [](const Sharding& sharding, uint32_t device,
                        const std::vector<int64_t>& shape) {
    std::vector<int64_t> result;
    for (const IndexRange& range : sharding.RangesOf(device, shape)) {
      result.push_back(range.size());
    }
    return result;
  };
  const Sharding three = Make({{"x", 2}, {"y", 4}}, {{"x"}, {"y"}, {}});
  EXPECT_THAT(sizes(three, 0, {8, 7, 4}), ElementsAre(4, 2, 4));
  EXPECT_THAT(sizes(three, 7, {8, 7, 4}), ElementsAre(4, 1, 4));
  const Sharding four = Make({{"x", 4}, {"y", 2}}, {{}, {}, {"x"}, {"y"}});
  EXPECT_THAT(four.ShardShape({1, 8, 7, 4}), ElementsAre(1, 8, 2, 2));
  EXPECT_THAT(sizes(four, 7, {1, 8, 7, 4}), ElementsAre(1, 8, 1, 2));
  const Sharding five =
      Make({{"x", 2}, {"y", 2}, {"z", 2}}, {{}, {}, {"x"}, {"y"}, {"z"}});
  EXPECT_THAT(five.ShardShape({10, 1, 8, 7, 4}), ElementsAre(10, 1, 4, 4, 2));
  EXPECT_THAT(sizes(five, 7, {10, 1, 8, 7, 4}), ElementsAre(10, 1, 4, 3, 2));
}

TEST(ShardingTest, FirstReplicasHoldEveryElementOnce) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    const auto size = [&](int most) {
      return static_cast<int64_t>(random() % most + 1);
    };
    const std::vector<MeshAxis> axes = {
        {"a", size(4)}, {"b", size(3)}, {"c", size(3)}};
    std::vector<uint32_t> devices(axes[0].size * axes[1].size * axes[2].size);
    std::iota(devices.begin(), devices.end(), 0u);
    std::shuffle(devices.begin(), devices.end(), random);
    ASSERT_OK_AND_ASSIGN(const Mesh mesh, Mesh::Create(axes, devices));
    ASSERT_OK_AND_ASSIGN(
        const Sharding sharding,
        Sharding::Create(mesh, round % 2 == 0 ? PartitionSpec{{"b", "a"}, {}}
                                              : PartitionSpec{{"c"}, {"a"}}));
    const std::vector<int64_t> shape = {size(20), size(20)};
    std::multiset<std::pair<int64_t, int64_t>> held;
    for (uint32_t d = 0; d < mesh.size(); ++d) {
      if (sharding.ReplicaOf(d) != 0) continue;
      const std::vector<IndexRange> ranges = sharding.RangesOf(d, shape);
      for (int64_t r = ranges[0].begin; r < ranges[0].end; ++r) {
        for (int64_t c = ranges[1].begin; c < ranges[1].end; ++c) {
          held.emplace(r, c);
        }
      }
    }
    EXPECT_EQ(held.size(), static_cast<size_t>(shape[0] * shape[1]));
    for (const auto& element : held) EXPECT_EQ(held.count(element), 1u);
  }
}

TEST(ShardingTest, DimensionsBehindTheSpecAreWhole) {
  const Sharding rows = Make(kMesh, {{"x"}});
  EXPECT_THAT(rows.RangesOf(7, {8, 5}),
              ElementsAre(IndexRange{6, 8}, IndexRange{0, 5}));
  EXPECT_THAT(rows.ShardShape({8, 5}), ElementsAre(2, 5));
}

TEST(ShardingTest, OneDeviceHoldsAllAndTheOthersNothing) {
  ASSERT_OK_AND_ASSIGN(const Sharding stage, Sharding::OneDevice(2, 4));
  EXPECT_FALSE(stage.Holds(0));
  EXPECT_TRUE(stage.Holds(2));
  EXPECT_THAT(stage.RangesOf(2, {8, 2}),
              ElementsAre(IndexRange{0, 8}, IndexRange{0, 2}));
  EXPECT_THAT(stage.RangesOf(1, {8, 2}),
              ElementsAre(IndexRange{0, 0}, IndexRange{0, 0}));
  EXPECT_THAT(stage.ReplicaGroups(), ElementsAre(ElementsAre(2)));
  EXPECT_THAT(Sharding::OneDevice(4, 4),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("device 4 of")));
}

TEST(ShardingTest, ManualAndReplicatedHandEveryDeviceAll) {
  for (const Sharding& sharding :
       {Sharding::Manual(3), Sharding::Replicated(3)}) {
    for (uint32_t d = 0; d < 3; ++d) {
      EXPECT_THAT(sharding.RangesOf(d, {6}), ElementsAre(IndexRange{0, 6}));
      EXPECT_EQ(sharding.ReplicaOf(d), d);
    }
  }
}

TEST(ShardingTest, GridsThatAreNoneAreRefused) {
  EXPECT_THAT(Sharding::Tiled({.tiles = {2, 2}, .devices = {0, 1, 2}}),
              StatusIs(kInvalid, HasSubstr("do not multiply to its 3")));
  EXPECT_THAT(Sharding::Tiled({.tiles = {0}, .devices = {}}),
              StatusIs(kInvalid, HasSubstr("do not multiply")));
  EXPECT_THAT(Sharding::Tiled({.tiles = {2}, .devices = {1, 1}}),
              StatusIs(kInvalid, HasSubstr("device 1 of a grid of tiles is "
                                           "given twice")));
  EXPECT_THAT(Sharding::Tiled({.tiles = {2}, .devices = {0, 2}}),
              StatusIs(kInvalid, HasSubstr("out of range")));
}

TEST(ShardingTest, MistakesAreNamed) {
  const Mesh mesh = *Mesh::Create(kMesh);
  EXPECT_THAT(Sharding::Create(mesh, {{"z"}}),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("(x=4 y=2) has no axis \"z\"")));
  EXPECT_THAT(Sharding::Create(mesh, {{"x"}, {"x"}}),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("axis \"x\" cuts two dimensions")));
}

}  // namespace
}  // namespace penstock
