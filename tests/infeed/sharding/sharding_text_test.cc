#include "infeed/sharding/sharding_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "infeed/sharding/hlo_text.h"
#include "infeed/sharding/mesh_split.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::kInvalid;
using ::penstock::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ShardingTextTest, MeshesAreReadAsTheyAreWritten) {
  ASSERT_OK_AND_ASSIGN(const auto axes, ParseMeshAxes("data=4,model=2"));
  EXPECT_THAT(axes, ElementsAre(MeshAxis{"data", 4}, MeshAxis{"model", 2}));
  for (const char* wrong : {"", "data", "=4", "data=", "data=4,", "data=x",
                            "data=4=2", "data=99999999999999999999"}) {
    EXPECT_THAT(ParseMeshAxes(wrong),
                StatusIs(kInvalid, HasSubstr("is no axis of a mesh")))
        << wrong;
  }
}

TEST(ShardingTextTest, NumbersMayRunBothWays) {
  ASSERT_OK_AND_ASSIGN(const auto numbers, ParseNumbers("0-2,7,5-4"));
  EXPECT_THAT(numbers, ElementsAre(0, 1, 2, 7, 5, 4));
  for (const char* wrong : {"", "1,", "1-", "-1", "a", "0-4294967295"}) {
    EXPECT_THAT(ParseNumbers(wrong), StatusIs(kInvalid, HasSubstr("0-3,8")))
        << wrong;
  }
}

TEST(ShardingTextTest, SpecsAreReadAsTheyAreWritten) {
  for (const char* text : {"", "data", "None", "data,None", "None,(a,b),c"}) {
    ASSERT_OK_AND_ASSIGN(const PartitionSpec spec, ParsePartitionSpec(text));
    EXPECT_EQ(PartitionSpecText(spec), text);
  }
  ASSERT_OK_AND_ASSIGN(const PartitionSpec spec, ParsePartitionSpec("(a,b),c"));
  EXPECT_THAT(spec, ElementsAre(ElementsAre("a", "b"), ElementsAre("c")));
  ASSERT_OK_AND_ASSIGN(const PartitionSpec one, ParsePartitionSpec("(a),None"));
  EXPECT_THAT(one, ElementsAre(ElementsAre("a"), IsEmpty()));
}

TEST(ShardingTextTest, DamagedSpecsNameThePlace) {
  const auto refused = [](const char* text, const char* place) {
    EXPECT_THAT(ParsePartitionSpec(text), StatusIs(kInvalid, HasSubstr(place)))
        << text;
  };
  refused(",", "at character 0: expected an axis");
  refused("data,", "at character 5: expected an axis");
  refused("()", "at character 1: expected an axis");
  refused("(a,b", "at character 4: expected \",\" or \")\"");
  refused("(a)b", "at character 3: expected \",\"");
  refused("a)", "at character 1: expected \",\"");
}

TEST(ShardingTextTest, RangesAreShownWithoutTheEmptyOnes) {
  EXPECT_EQ(RangesText({{0, 4}, {8, 8}, {8, 12}}), "[0,4) [8,12)");
  EXPECT_EQ(RangesText({{3, 3}}), "nothing");
}

TEST(MeshSplitTest, MappingsAreSpecsByNumber) {
  const Mesh mesh = *Mesh::Create({{"x", 4}, {"y", 2}});
  const auto text = [&](std::vector<int64_t> mapping) {
    return HloIotaText(
        *MeshSplit(std::vector<int64_t>(mapping.size(), 8), mesh, mapping));
  };
  EXPECT_EQ(text({0, 1}), "{devices=[4,2]<=[8]}");
  EXPECT_EQ(text({1, 0}), "{devices=[2,4]<=[4,2]T(1,0)}");
  EXPECT_EQ(text({0, -1}), "{devices=[4,1,2]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(text({-1, -1}), "{replicated}");
}

TEST(MeshSplitTest, MistakesAreNamed) {
  const Mesh mesh = *Mesh::Create({{"x", 4}, {"y", 2}});
  const auto split = [&](std::vector<int64_t> shape,
                         std::vector<int64_t> mapping) {
    return MeshSplit(shape, mesh, mapping);
  };
  EXPECT_THAT(split({8, 8}, {0}),
              StatusIs(kInvalid, HasSubstr("1 entries for a tensor of 2")));
  EXPECT_THAT(split({8, 8}, {0, 2}),
              StatusIs(kInvalid, AllOf(HasSubstr("dimension 1"),
                                       HasSubstr("axes 0 to 1"))));
  EXPECT_THAT(split({8, 8}, {0, -2}), StatusIs(kInvalid, HasSubstr("axis -2")));
  EXPECT_THAT(split({8, 8}, {0, 0}),
              StatusIs(kInvalid, HasSubstr("axis \"x\" cuts two dimensions")));
}

}  // namespace
}  // namespace penstock
