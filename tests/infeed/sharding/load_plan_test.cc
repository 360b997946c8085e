// Tables: mesh 4x2, batch (16, 128), two devices a host, computed by hand.
#include "infeed/sharding/load_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "infeed/sharding/sharding_text.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::kInvalid;
using ::penstock::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Mesh& FourByTwo() {
  static const auto& mesh = *new Mesh(*Mesh::Create({{"x", 4}, {"y", 2}}));
  return mesh;
}

LoadPlan PlanOf(const std::string& spec, std::vector<int64_t> shape,
                uint32_t hosts, const Mesh& mesh = FourByTwo()) {
  return PlanLoads(
             {{.name = "tokens",
               .shape = std::move(shape),
               .sharding = *Sharding::Create(mesh, *ParsePartitionSpec(spec))}},
             *DeviceHosts::Blocks(mesh.size(), hosts))
      .value();
}

std::vector<std::string> RowsOf(const LoadPlan& plan) {
  std::vector<std::string> rows;
  for (const HostLoad& host : plan.hosts) {
    rows.push_back(RangesText(host.tensors[0].ranges[0]));
  }
  return rows;
}

TEST(LoadPlanTest, HostsLoadTheRowsOfTheirDevicesOnce) {
  const LoadPlan plan = PlanOf("x,None", {16, 128}, 4);
  EXPECT_THAT(RowsOf(plan), ElementsAre("[0,4)", "[4,8)", "[8,12)", "[12,16)"));
  const HostTensor& load = plan.hosts[0].tensors[0];
  EXPECT_EQ(load.loaded_bytes, 4u * 128 * 4);
  EXPECT_EQ(load.transfer_bytes, 2 * load.loaded_bytes);  // both devices
  EXPECT_EQ(load.packed_bytes, 0u);
  EXPECT_EQ(load.devices[1].replica, 1);
  EXPECT_EQ(load.devices[1].form, SliceForm::kView);
  EXPECT_THAT(plan.replica_hosts[0], IsEmpty());
  EXPECT_THAT(plan.warnings, IsEmpty());
}

TEST(LoadPlanTest, RowsOverAnAxisInsideHostsAreLoadedByAll) {
  const LoadPlan plan = PlanOf("y,None", {16, 128}, 4);
  EXPECT_THAT(RowsOf(plan),
              ElementsAre("[0,16)", "[0,16)", "[0,16)", "[0,16)"));
  EXPECT_THAT(plan.replica_hosts[0], ElementsAre(ElementsAre(0, 1, 2, 3)));
  EXPECT_THAT(plan.warnings,
              ElementsAre(HasSubstr("each of 4 hosts loads all of tokens")));
}

TEST(LoadPlanTest, BothAxesGiveEachDeviceRowsOfItsOwn) {
  const LoadPlan plan = PlanOf("(x,y),None", {16, 128}, 4);
  EXPECT_THAT(RowsOf(plan), ElementsAre("[0,4)", "[4,8)", "[8,12)", "[12,16)"));
  EXPECT_EQ(plan.hosts[0].tensors[0].transfer_bytes, 4u * 128 * 4);
}

TEST(LoadPlanTest, SwappedAxesGiveAHostRowsThatDoNotTouch) {
  const LoadPlan plan = PlanOf("(y,x),None", {16, 128}, 4);
  EXPECT_THAT(RowsOf(plan), ElementsAre("[0,2) [8,10)", "[2,4) [10,12)",
                                        "[4,6) [12,14)", "[6,8) [14,16)"));
  const HostTensor& load = plan.hosts[0].tensors[0];
  EXPECT_TRUE(load.product);
  // Loaded one block after the other: the second device's rows begin at 2.
  EXPECT_EQ(load.devices[1].layout.offset_bytes, 2u * 128 * 4);
  EXPECT_EQ(load.devices[1].form, SliceForm::kView);
}

TEST(LoadPlanTest, ColumnsAreStridedViewsAndPackedOnceForEachSlice) {
  const LoadPlan plan = PlanOf("None,y", {16, 128}, 4);
  const HostTensor& load = plan.hosts[2].tensors[0];
  EXPECT_THAT(RowsOf(plan)[2], "[0,16)");
  EXPECT_EQ(RangesText(load.ranges[1]), "[0,128)");
  EXPECT_EQ(load.devices[0].form, SliceForm::kStridedView);
  EXPECT_EQ(load.devices[0].layout.run_bytes, 64u * 4);
  EXPECT_EQ(load.devices[0].layout.runs, 16u);
  EXPECT_EQ(load.packed_bytes, 16u * 128 * 4);
  // On one host four devices share each half: copied once, sent four times.
  const LoadPlan alone = PlanOf("None,y", {16, 128}, 1);
  const HostTensor& one = alone.hosts[0].tensors[0];
  EXPECT_EQ(one.packed_bytes, 16u * 128 * 4);
  EXPECT_EQ(one.transfer_bytes, 4u * 16 * 128 * 4);
}

// data=2, model=8 on 4 hosts of four devices.
TEST(LoadPlanTest, HostsOfOneReplicaLoadTheSameRows) {
  const Mesh mesh = *Mesh::Create({{"data", 2}, {"model", 8}});
  const LoadPlan plan = PlanOf("data,None", {16, 128}, 4, mesh);
  EXPECT_THAT(RowsOf(plan), ElementsAre("[0,8)", "[0,8)", "[8,16)", "[8,16)"));
  EXPECT_THAT(plan.replica_hosts[0],
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
}

TEST(LoadPlanTest, UnevenRowsArePaddedCopies) {
  const Mesh mesh = *Mesh::Create({{"data", 8}});
  const LoadPlan plan = PlanOf("data", {103}, 2, mesh);
  EXPECT_THAT(RowsOf(plan), ElementsAre("[0,52)", "[52,103)"));
  const HostTensor& load = plan.hosts[1].tensors[0];
  EXPECT_EQ(load.loaded_bytes, 51u * 4);
  EXPECT_EQ(load.transfer_bytes, 52u * 4);
  EXPECT_EQ(load.devices[3].form, SliceForm::kPaddedCopy);
  EXPECT_EQ(load.packed_bytes, 13u * 4);
  EXPECT_THAT(plan.warnings,
              ElementsAre(HasSubstr("[103] is padded to [104]: shards of "
                                    "[13]")));
}

TEST(LoadPlanTest, DevicesBehindTheLastRowGetPaddingAlone) {
  const LoadPlan plan = PlanOf("data", {9}, 2, *Mesh::Create({{"data", 8}}));
  EXPECT_THAT(RowsOf(plan), ElementsAre("[0,8)", "[8,9)"));
  std::vector<SliceForm> forms;
  for (const DeviceSlice& slice : plan.hosts[1].tensors[0].devices) {
    forms.push_back(slice.form);
  }
  EXPECT_THAT(forms, ElementsAre(SliceForm::kPaddedCopy, SliceForm::kNothing,
                                 SliceForm::kNothing, SliceForm::kNothing));
}

TEST(LoadPlanTest, ShardsThatMakeNoBlockAreNamed) {
  // Host 0 has devices (0, 0) and (1, 1) of a 2 x 2 mesh.
  ASSERT_OK_AND_ASSIGN(
      const LoadPlan plan,
      PlanLoads({{.name = "image",
                  .shape = {4, 4},
                  .sharding = *Sharding::Create(
                      *Mesh::Create({{"x", 2}, {"y", 2}}), {{"x"}, {"y"}})}},
                *DeviceHosts::Create({0, 1, 1, 0}, 2)));
  EXPECT_FALSE(plan.hosts[0].tensors[0].product);
  EXPECT_EQ(plan.hosts[0].tensors[0].loaded_bytes, 4u * 4 * 4);
  EXPECT_THAT(plan.warnings[0],
              HasSubstr("host 0 loads more of image than its devices take"));
}

TEST(LoadPlanTest, RecordsAreDecodedWhole) {
  // Host 0 has the devices of the left columns, host 1 those of the right.
  ASSERT_OK_AND_ASSIGN(
      const LoadPlan plan,
      PlanLoads({{.name = "image",
                  .shape = {4, 4},
                  .sharding = *Sharding::Create(
                      *Mesh::Create({{"x", 2}, {"y", 2}}), {{"x"}, {"y"}})}},
                *DeviceHosts::Create({0, 1, 0, 1}, 2), {.whole_rows = true}));
  const HostTensor& load = plan.hosts[1].tensors[0];
  EXPECT_EQ(RangesText(load.ranges[1]), "[0,4)");
  EXPECT_EQ(load.loaded_bytes, 4u * 4 * 4);
  EXPECT_EQ(load.transfer_bytes, 2u * 4 * 4);
  EXPECT_EQ(load.devices[0].form, SliceForm::kStridedView);
  EXPECT_EQ(load.devices[0].layout.offset_bytes, 2u * 4);
  EXPECT_THAT(plan.warnings,
              ElementsAre(HasSubstr("each of 2 hosts loads all of image")));
}

TEST(LoadPlanTest, OneDeviceIsFedByItsHostAlone) {
  ASSERT_OK_AND_ASSIGN(const LoadPlan plan,
                       PlanLoads({{.name = "stage",
                                   .shape = {8},
                                   .sharding = *Sharding::OneDevice(3, 4)}},
                                 *DeviceHosts::Blocks(4, 2)));
  EXPECT_EQ(plan.hosts[0].tensors[0].loaded_bytes, 0u);
  EXPECT_THAT(plan.hosts[0].tensors[0].devices, IsEmpty());
  EXPECT_EQ(plan.hosts[1].tensors[0].loaded_bytes, 32u);
}

// Whatever the mesh and whoever owns what: each element is in exactly one
// slice of replica 0, and lies where the slice's layout says.
TEST(LoadPlanTest, FirstCopiesHoldEveryElementOnceOnAnyHosts) {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    const auto size = [&](uint32_t most) {
      return static_cast<int64_t>(random() % most + 1);
    };
    const Mesh mesh =
        *Mesh::Create({{"a", size(3)}, {"b", size(3)}, {"c", size(3)}});
    std::vector<uint32_t> owners(mesh.size());
    for (uint32_t& owner : owners) owner = random() % 3;
    const std::vector<int64_t> shape = {size(15), size(15)};
    ASSERT_OK_AND_ASSIGN(
        const LoadPlan plan,
        PlanLoads({{.name = "t",
                    .shape = shape,
                    .element_bytes = 1,
                    .sharding = *Sharding::Create(
                        mesh, round % 2 == 0 ? PartitionSpec{{"c", "a"}, {"b"}}
                                             : PartitionSpec{{"b"}, {"c"}})}},
                  *DeviceHosts::Create(owners, 3)));
    std::multiset<std::pair<int64_t, int64_t>> held;
    for (const HostLoad& host : plan.hosts) {
      const HostTensor& load = host.tensors[0];
      // The loaded block, each element by its global place.
      std::vector<std::pair<int64_t, int64_t>> loaded;
      for (const IndexRange& rows : load.ranges[0]) {
        for (int64_t r = rows.begin; r < rows.end; ++r) {
          for (const IndexRange& columns : load.ranges[1]) {
            for (int64_t c = columns.begin; c < columns.end; ++c) {
              loaded.emplace_back(r, c);
            }
          }
        }
      }
      EXPECT_EQ(loaded.size(), load.loaded_bytes);
      for (const DeviceSlice& slice : load.devices) {
        size_t at = slice.layout.offset_bytes;
        for (int64_t r = slice.ranges[0].begin; r < slice.ranges[0].end; ++r) {
          for (int64_t c = slice.ranges[1].begin; c < slice.ranges[1].end;
               ++c) {
            const auto column = static_cast<size_t>(c - slice.ranges[1].begin);
            EXPECT_EQ(loaded[at + column], std::pair(r, c));
            if (slice.replica == 0) held.emplace(r, c);
          }
          at += static_cast<size_t>(slice.layout.strides_bytes[0]);
        }
      }
    }
    EXPECT_EQ(held.size(), static_cast<size_t>(shape[0] * shape[1]));
    EXPECT_EQ(std::set(held.begin(), held.end()).size(), held.size());
  }
}

TEST(LoadPlanTest, MistakesAreNamed) {
  const Sharding sharding = *Sharding::Create(FourByTwo(), {{"x"}, {}});
  EXPECT_THAT(
      PlanLoads({{.name = "a", .shape = {8, 8}, .sharding = sharding}},
                *DeviceHosts::Blocks(4, 2)),
      StatusIs(kInvalid, HasSubstr("of 8 devices, but the hosts have 4")));
  EXPECT_THAT(PlanLoads({{.name = "a", .shape = {8}, .sharding = sharding}},
                        *DeviceHosts::Blocks(8, 2)),
              StatusIs(kInvalid, HasSubstr("is of 2 dimensions")));
}

}  // namespace
}  // namespace penstock
