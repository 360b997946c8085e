// Texts are those that XLA prints: JAX 0.10.2, and the note of OpSharding.
#include "infeed/sharding/hlo_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "infeed/sharding/iota_tiles.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::kInvalid;
using ::penstock::testing::kUnimplemented;
using ::penstock::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Pair {
  PartitionSpec spec;
  std::string iota;
};

TEST(HloTextTest, IotaTextIsWhatJaxPrints) {
  const Mesh mesh = *Mesh::Create({{"x", 4}, {"y", 2}});
  const std::vector<Pair> pairs = {
      {{{"x"}, {"y"}}, "{devices=[4,2]<=[8]}"},
      {{{"x"}, {}}, "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"},
      {{{"y"}, {}}, "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}"},
      {{{"x", "y"}, {}}, "{devices=[8,1]<=[8]}"},
      {{{"y", "x"}, {}}, "{devices=[8,1]<=[4,2]T(1,0)}"},
      {{{"y"}, {"x"}}, "{devices=[2,4]<=[4,2]T(1,0)}"},
      {{{}, {}}, "{replicated}"}};
  for (const Pair& pair : pairs) {
    const Sharding sharding = *Sharding::Create(mesh, pair.spec);
    EXPECT_EQ(HloIotaText(sharding), pair.iota);
    ASSERT_OK_AND_ASSIGN(const Sharding read, ParseHloSharding(pair.iota, 8));
    EXPECT_EQ(HloText(read), HloText(sharding));
  }
}

TEST(HloTextTest, BothFormsAreReadAlike) {
  const std::vector<std::pair<std::string, std::string>> forms = {
      {"{devices=[2,1,4]0,2,4,6,1,3,5,7 last_tile_dim_replicate}",
       "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}"},
      {"{devices=[2,2,2]0,1,4,5,2,3,6,7 last_tile_dims={manual}}",
       "{devices=[2,2,2]<=[2,2,2]T(1,0,2) last_tile_dims={manual}}"},
      {"{devices=[2,2,2]0,1,4,5,2,3,6,7 last_tile_dims={manual, replicated}}",
       "{devices=[2,2,2]<=[2,2,2]T(1,0,2) "
       "last_tile_dims={manual, replicated}}"},
      {"{devices=[4,2]0,1,2,3,4,5,6,7}", "{devices=[4,2]<=[8]}"},
      {"{replicated}", "{replicated}"},
      {"{manual}", "{manual}"},
      {"{maximal device=3}", "{maximal device=3}"}};
  for (const auto& [listed, iota] : forms) {
    for (const std::string& text : {listed, iota}) {
      ASSERT_OK_AND_ASSIGN(const Sharding read, ParseHloSharding(text, 8));
      EXPECT_EQ(HloText(read), listed);
      EXPECT_EQ(HloIotaText(read), iota);
    }
  }
}

TEST(HloTextTest, TheCompressedFormOfAPodIsRead) {
  ASSERT_OK_AND_ASSIGN(
      const Sharding pod,
      ParseHloSharding("{devices=[6,35]<=[7,10,3]T(2,1,0)}", 210));
  EXPECT_THAT(pod.tiles(), ElementsAre(6, 35));
  // Place (0, 1) is the second along the first of the three axes.
  EXPECT_EQ(pod.grid().devices[1], 30u);
  EXPECT_EQ(HloIotaText(pod), "{devices=[6,35]<=[7,10,3]T(2,1,0)}");
}

TEST(HloTextTest, AListThatIsNoIotaStaysAList) {
  const std::string text = "{devices=[2,2]0,1,3,2}";
  ASSERT_OK_AND_ASSIGN(const Sharding sharding, ParseHloSharding(text, 4));
  EXPECT_EQ(HloIotaText(sharding), text);
}

TEST(HloTextTest, ReplicatedSubgroupsHoldCopies) {
  ASSERT_OK_AND_ASSIGN(
      const Sharding sharding,
      ParseHloSharding("{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}",
                       8));
  EXPECT_EQ(sharding.replicas(), 4);
  EXPECT_THAT(sharding.tiles(), ElementsAre(2, 1));
  EXPECT_THAT(sharding.ReplicaGroups(),
              ElementsAre(ElementsAre(0, 2, 4, 6), ElementsAre(1, 3, 5, 7)));
}

TEST(HloTextTest, AManualSubgroupOfOneDeviceIsNone) {
  ASSERT_OK_AND_ASSIGN(
      const Sharding sharding,
      ParseHloSharding(
          "{devices=[1,8,1]<=[8] last_tile_dims={replicated, manual}}", 8));
  EXPECT_EQ(sharding.kind(), ShardingKind::kReplicated);
  EXPECT_EQ(HloText(sharding), "{replicated}");
}

TEST(HloTextTest, DamageIsNamedWithItsPlace) {
  const auto refused = [&](const std::string& text, const std::string& place,
                           const std::string& reason) {
    EXPECT_THAT(ParseHloSharding(text, 8),
                StatusIs(kInvalid, AllOf(HasSubstr("at character " + place),
                                         HasSubstr(reason))))
        << text;
  };
  refused("", "0:", "expected \"{\"");
  refused("replicated", "0:", "expected \"{\"");
  refused("{replicated", "11:", "expected \"}\"");
  refused("{replicated} ", "12:", "nothing more");
  refused("{tiled}", "1:", "expected replicated, manual");
  refused("{devices=4}", "9:", "expected \"[\"");
  refused("{devices=[]0}", "10:", "expected a number");
  refused("{devices=[4,-2]0}", "12:", "expected a number");
  refused("{devices=[4,0]0}", "12:", "a number from 1");
  refused("{devices=[4,99999999999999999999]0}", "12:", "a number from 1");
  refused("{devices=[16777216,16777216]<=[8]}", "19:", "more than 16777216");
  refused("{devices=[4,2]0,1,2,3,4,5,6}",
          "14:", "7 devices, but the grid has 8 places");
  refused("{devices=[4,2]0,1,2,3,4,5,6,6}", "14:", "device 6 of a grid");
  refused("{devices=[4,2]0,1,2,3,4,5,6,8}", "14:", "out of range");
  refused("{devices=[4]<=[4]}", "9:", "a grid of 4 places, but there are 8");
  refused("{devices=[4,2]<=[4]}", "14:", "4 devices, but the grid has 8");
  refused("{devices=[4,2]<=[4,2]T(1,1)}", "25:", "0 to 1 once each");
  refused("{devices=[4,2]<=[4,2]T(0,2)}", "25:", "0 to 1 once each");
  refused("{devices=[4,2]<=[4,2]T(0)}", "24:", "expected \",\"");
  refused("{devices=[4,2]<=[8] last_tile_dim}", "19:", "expected \"}\"");
  refused("{devices=[8]<=[8] last_tile_dims={manual, replicated}}",
          "53:", "2 last dimensions of a grid of 1");
  refused("{devices=[8]<=[8] last_tile_dims={odd}}",
          "34:", "expected replicated or manual");
  refused("{maximal device=8}", "17:", "device 8 of 8");
  refused("{maximal device=}", "16:", "expected a number");
}

TEST(HloTextTest, WhatSaysNothingOfInputsIsUnimplemented) {
  EXPECT_THAT(ParseHloSharding("{{replicated}, {manual}}", 8),
              StatusIs(kUnimplemented, HasSubstr("tuple")));
  EXPECT_THAT(ParseHloSharding("{unknown}", 8),
              StatusIs(kUnimplemented, HasSubstr("where an input lies")));
  EXPECT_THAT(
      ParseHloSharding("{devices=[8]<=[8] metadata={op_name=\"a\"}}", 8),
      StatusIs(kUnimplemented, HasSubstr("metadata")));
}

// XLA prints it behind shardings of any kind, and subgroups that are unreduced.
TEST(HloTextTest, MetadataAndUnreducedSubgroupsAreUnimplementedOfEachKind) {
  for (const std::string sharding :
       {"{replicated", "{manual", "{maximal device=3", "{devices=[8]<=[8]",
        "{devices=[4,2]<=[8] last_tile_dim_replicate"}) {
    EXPECT_THAT(ParseHloSharding(sharding + " metadata={op_name=\"a\"}}", 8),
                StatusIs(kUnimplemented, HasSubstr("metadata")))
        << sharding;
  }
  EXPECT_THAT(
      ParseHloSharding("{devices=[4,2]<=[8] last_tile_dims={unreduced}}", 8),
      StatusIs(kUnimplemented, HasSubstr("where an input lies")));
}

// Every prefix and every changed byte is read or refused, and no more.
TEST(HloTextTest, NoDamageIsWorseThanAnError) {
  const std::string whole =
      "{devices=[2,2,2]<=[2,2,2]T(1,0,2) last_tile_dims={manual, replicated}}";
  for (size_t at = 0; at < whole.size(); ++at) {
    EXPECT_FALSE(ParseHloSharding(whole.substr(0, at), 8).ok());
    for (const char c : {'0', '9', ',', '{', '}', '[', 'T', '\0', '\xff'}) {
      std::string damaged = whole;
      damaged[at] = c;
      const auto sharding = ParseHloSharding(damaged, 8);
      if (sharding.ok()) {
        EXPECT_EQ(sharding->devices(), 8u) << damaged;
      }
    }
  }
}

TEST(IotaTilesTest, FoundFormsExpandToTheirLists) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    IotaTiles tiles;
    for (size_t d = 0; d < 1 + random() % 4; ++d) {
      tiles.dimensions.push_back(1 + static_cast<int64_t>(random() % 4));
      tiles.order.push_back(d);
    }
    std::shuffle(tiles.order.begin(), tiles.order.end(), random);
    const std::vector<uint32_t> devices = ExpandIota(tiles);
    const auto found = FindIota(devices);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(ExpandIota(*found), devices);
    EXPECT_LE(found->dimensions.size(), tiles.dimensions.size());
  }
}

TEST(IotaTilesTest, OtherOrdersHaveNone) {
  EXPECT_FALSE(FindIota(std::vector<uint32_t>{1, 0}).has_value());
  EXPECT_FALSE(FindIota(std::vector<uint32_t>{0, 1, 3, 2}).has_value());
  EXPECT_FALSE(FindIota(std::vector<uint32_t>{0, 2, 1, 3, 4}).has_value());
  EXPECT_EQ(FindIota(std::vector<uint32_t>{0}),
            (IotaTiles{.dimensions = {1}, .order = {0}}));
}

}  // namespace
}  // namespace penstock
