#include "pipeline/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(TopologyTest, ShardsAreDealtInBlocksLargerFirst) {
  const Topology topology = {.shards = 8, .hosts = 3};
  EXPECT_THAT(topology.ShardsOf(0), ElementsAre(0, 1, 2));
  EXPECT_THAT(topology.ShardsOf(1), ElementsAre(3, 4, 5));
  EXPECT_THAT(topology.ShardsOf(2), ElementsAre(6, 7));
}

TEST(TopologyTest, EveryShardHasOneHostWhateverTheCounts) {
  for (uint32_t shards = 1; shards <= 20; ++shards) {
    for (uint32_t hosts = 1; hosts <= shards; ++hosts) {
      const Topology topology = {.shards = shards, .hosts = hosts};
      EXPECT_OK(topology.Validate());
      uint32_t next = 0;
      for (uint32_t host = 0; host < hosts; ++host) {
        const auto mine = topology.ShardsOf(host);
        EXPECT_GE(mine.size(), shards / hosts);
        for (const uint32_t shard : mine) EXPECT_EQ(shard, next++);
      }
      EXPECT_EQ(next, shards);
    }
  }
}

TEST(TopologyTest, GivenHostsMayBeInterleavedOrIdle) {
  const Topology topology = {
      .shards = 4, .hosts = 3, .host_of_shard = {2, 0, 2, 0}};
  EXPECT_OK(topology.Validate());
  EXPECT_THAT(topology.ShardsOf(0), ElementsAre(1, 3));
  EXPECT_THAT(topology.ShardsOf(1), IsEmpty());
  EXPECT_THAT(topology.ShardsOf(2), ElementsAre(0, 2));
}

TEST(TopologyTest, WhatCannotBeIsRefused) {
  const auto invalid = [](Topology topology, const char* words) {
    EXPECT_THAT(topology.Validate(),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr(words)));
  };
  invalid({.shards = 0}, "at least one shard");
  invalid({.hosts = 0}, "at least one shard and one host");
  invalid({.shards = 4, .hosts = 2, .host = 2}, "host 2");
  invalid({.shards = 2, .hosts = 3}, "3 hosts but only 2 shards");
  invalid({.shards = 2, .hosts = 1, .host_of_shard = {0}}, "of 1 shards");
  invalid({.shards = 2, .hosts = 1, .host_of_shard = {0, 1}}, "host 1");
}

}  // namespace
}  // namespace penstock::testing
