#include "infeed/sharding/batch_placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "infeed/sharding/device_hosts.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::kInvalid;
using ::penstock::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(BatchPlacementTest, HostsGetBlocksLargerOnesFirst) {
  const Mesh mesh = *Mesh::Create({{"data", 8}});
  ASSERT_OK_AND_ASSIGN(const BatchPlacement three, PlaceBatch(mesh, "data", 3));
  EXPECT_THAT(three.DevicesOf(0), ElementsAre(0, 1, 2));
  EXPECT_THAT(three.DevicesOf(1), ElementsAre(3, 4, 5));
  EXPECT_THAT(three.DevicesOf(2), ElementsAre(6, 7));
}

TEST(BatchPlacementTest, OneAxisIsWhatTheTopologyDealsOutByItself) {
  const Mesh mesh = *Mesh::Create({{"data", 8}});
  for (const uint32_t hosts : {1u, 2u, 3u, 5u, 8u}) {
    for (uint32_t host = 0; host < hosts; ++host) {
      ASSERT_OK_AND_ASSIGN(const Topology topology,
                           BatchTopology(mesh, "data", hosts, host));
      Topology plain;
      plain.shards = 8;
      plain.hosts = hosts;
      EXPECT_OK(topology.Validate());
      EXPECT_EQ(topology.ShardsOf(host), plain.ShardsOf(host));
    }
  }
}

// d.3: P('x', None) gives both devices of a host the same rows.
TEST(BatchPlacementTest, OtherAxesHoldCopies) {
  const Mesh mesh = *Mesh::Create({{"x", 4}, {"y", 2}});
  ASSERT_OK_AND_ASSIGN(const BatchPlacement placement,
                       PlaceBatch(mesh, "x", 4));
  EXPECT_EQ(placement.shards, 4u);
  EXPECT_THAT(placement.shard_of_device, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(placement.device_of_shard, ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(placement.TopologyOf(0).shards_of_host,
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2),
                          ElementsAre(3)));
}

TEST(BatchPlacementTest, RowsFollowTheMeshNotTheHostNumber) {
  const Mesh mesh = *Mesh::Create({{"data", 8}}, {0, 4, 1, 5, 2, 6, 3, 7});
  ASSERT_OK_AND_ASSIGN(const BatchPlacement placement,
                       PlaceBatch(mesh, "data", 2));
  EXPECT_THAT(placement.TopologyOf(0).ShardsOf(0), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(placement.TopologyOf(1).ShardsOf(1), ElementsAre(1, 3, 5, 7));
}

TEST(BatchPlacementTest, HostsBeyondTheDevicesHaveNone) {
  const Mesh mesh = *Mesh::Create({{"data", 2}});
  ASSERT_OK_AND_ASSIGN(const BatchPlacement placement,
                       PlaceBatch(mesh, "data", 3));
  EXPECT_THAT(placement.DevicesOf(2), IsEmpty());
  EXPECT_OK(placement.TopologyOf(2).Validate());
  EXPECT_THAT(placement.TopologyOf(2).ShardsOf(2), IsEmpty());
}

// d.4: P('y', None): every host needs every row.
TEST(BatchPlacementTest, SeveralHostsMayMakeTheSameRows) {
  const Mesh mesh = *Mesh::Create({{"x", 4}, {"y", 2}});
  ASSERT_OK_AND_ASSIGN(const BatchPlacement placement,
                       PlaceBatch(mesh, "y", 4));
  EXPECT_EQ(placement.shards, 2u);
  for (uint32_t host = 0; host < 4; ++host) {
    EXPECT_OK(placement.TopologyOf(host).Validate());
    EXPECT_THAT(placement.TopologyOf(host).ShardsOf(host), ElementsAre(0, 1));
  }
}

// data=2, model=8 on 4 hosts of four devices: two hosts hold each half.
TEST(BatchPlacementTest, ModelAxesMayCrossHosts) {
  const Mesh mesh = *Mesh::Create({{"data", 2}, {"model", 8}});
  ASSERT_OK_AND_ASSIGN(const BatchPlacement placement,
                       PlaceBatch(mesh, "data", 4));
  EXPECT_THAT(placement.TopologyOf(0).shards_of_host,
              ElementsAre(ElementsAre(0), ElementsAre(0), ElementsAre(1),
                          ElementsAre(1)));
}

TEST(BatchPlacementTest, RowsMayBeCutOverSeveralAxes) {
  const Mesh mesh = *Mesh::Create({{"data", 2}, {"fsdp", 2}, {"model", 2}});
  ASSERT_OK_AND_ASSIGN(const BatchPlacement placement,
                       PlaceBatch(mesh, "data,fsdp", 2));
  EXPECT_EQ(placement.shards, 4u);
  EXPECT_THAT(placement.shard_of_device, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(placement.TopologyOf(0).shards_of_host,
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  ASSERT_OK_AND_ASSIGN(const BatchPlacement swapped,
                       PlaceBatch(mesh, "fsdp,data", 2));
  EXPECT_THAT(swapped.TopologyOf(0).shards_of_host,
              ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
  ASSERT_OK_AND_ASSIGN(const BatchPlacement none, PlaceBatch(mesh, "None", 2));
  EXPECT_EQ(none.shards, 1u);
  EXPECT_THAT(none.TopologyOf(0).shards_of_host,
              ElementsAre(ElementsAre(0), ElementsAre(0)));
}

// d.5: what a host loads follows from who owns which device.
TEST(BatchPlacementTest, HostsMayOwnAnyDevices) {
  const Mesh mesh = *Mesh::Create({{"data", 4}, {"model", 2}});
  ASSERT_OK_AND_ASSIGN(const DeviceHosts hosts,
                       DeviceHosts::Create({0, 0, 1, 1, 1, 1, 0, 0}, 2));
  ASSERT_OK_AND_ASSIGN(const BatchPlacement placement,
                       PlaceBatch(mesh, "data", hosts));
  EXPECT_THAT(placement.DevicesOf(0), ElementsAre(0, 1, 6, 7));
  EXPECT_THAT(placement.TopologyOf(0).shards_of_host,
              ElementsAre(ElementsAre(0, 3), ElementsAre(1, 2)));
  ASSERT_OK_AND_ASSIGN(const Topology topology,
                       BatchTopology(mesh, "data", hosts, 1));
  EXPECT_OK(topology.Validate());
  EXPECT_THAT(topology.ShardsOf(1), ElementsAre(1, 2));
}

TEST(BatchPlacementTest, HostsThatAreNoneAreRefused) {
  EXPECT_THAT(DeviceHosts::Create({}, 1),
              StatusIs(kInvalid, HasSubstr("at least one device")));
  EXPECT_THAT(DeviceHosts::Create({0, 2}, 2),
              StatusIs(kInvalid, HasSubstr("device 1 is on host 2")));
  const Mesh mesh = *Mesh::Create({{"data", 4}});
  EXPECT_THAT(PlaceBatch(mesh, "data", *DeviceHosts::Blocks(8, 2)),
              StatusIs(kInvalid, HasSubstr("4 devices, but hosts are given "
                                           "for 8")));
}

TEST(BatchPlacementTest, MistakesAreNamed) {
  const Mesh mesh = *Mesh::Create({{"x", 4}, {"y", 2}});
  EXPECT_THAT(PlaceBatch(mesh, "z", 1), StatusIs(StatusCode::kInvalidArgument,
                                                 HasSubstr("no axis \"z\"")));
  EXPECT_THAT(
      PlaceBatch(mesh, "x", 0),
      StatusIs(StatusCode::kInvalidArgument, HasSubstr("at least one host")));
  EXPECT_THAT(BatchTopology(mesh, "x", 2, 2),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("host 2 of 2")));
}

}  // namespace
}  // namespace penstock
