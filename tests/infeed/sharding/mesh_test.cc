#include "infeed/sharding/mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::kInvalid;
using ::penstock::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(MeshTest, GridIsRowMajor) {
  ASSERT_OK_AND_ASSIGN(const Mesh mesh, Mesh::Create({{"x", 4}, {"y", 2}}));
  EXPECT_EQ(mesh.size(), 8u);
  EXPECT_THAT(mesh.CoordinatesOf(0), ElementsAre(0, 0));
  EXPECT_THAT(mesh.CoordinatesOf(1), ElementsAre(0, 1));
  EXPECT_THAT(mesh.CoordinatesOf(6), ElementsAre(3, 0));
  EXPECT_EQ(mesh.Describe(), "x=4 y=2");
}

TEST(MeshTest, DevicesMayStandInAnyOrder) {
  ASSERT_OK_AND_ASSIGN(const Mesh mesh,
                       Mesh::Create({{"x", 2}, {"y", 2}}, {3, 1, 0, 2}));
  EXPECT_THAT(mesh.CoordinatesOf(3), ElementsAre(0, 0));
  EXPECT_THAT(mesh.CoordinatesOf(2), ElementsAre(1, 1));
}

TEST(MeshTest, ACompiledProgramKnowsPlacesAlone) {
  ASSERT_OK_AND_ASSIGN(const Mesh mesh,
                       Mesh::Create({{"x", 2}, {"y", 2}}, {3, 1, 0, 2}));
  EXPECT_THAT(mesh.Places().devices(), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(mesh.Places().axes(), mesh.axes());
}

TEST(MeshTest, OneAxisNeedsOnePairOfBraces) {
  ASSERT_OK_AND_ASSIGN(const Mesh mesh, Mesh::Create({{"data", 8}}));
  EXPECT_EQ(mesh.axes().size(), 1u);
  EXPECT_EQ(mesh.axes()[0].name, "data");
  EXPECT_EQ(mesh.size(), 8u);
}

TEST(MeshTest, MistakesAreNamed) {
  EXPECT_THAT(Mesh::Create({}),
              StatusIs(kInvalid, HasSubstr("at least one axis")));
  EXPECT_THAT(Mesh::Create({{"", 8}}),
              StatusIs(kInvalid, HasSubstr("has no name")));
  EXPECT_THAT(Mesh::Create({{"x", 2}, {"x", 4}}),
              StatusIs(kInvalid, HasSubstr("two axes of the mesh are named")));
  EXPECT_THAT(
      Mesh::Create({{"x", 0}}),
      StatusIs(kInvalid, HasSubstr("axis \"x\" of the mesh has size 0")));
  EXPECT_THAT(Mesh::Create({{"x", 1 << 20}, {"y", 1 << 20}}),
              StatusIs(kInvalid, HasSubstr("axis \"y\"")));
  EXPECT_THAT(Mesh::Create({{"x", 2}}, {0, 1, 2}),
              StatusIs(kInvalid, HasSubstr("2 places but 3 devices")));
  EXPECT_THAT(Mesh::Create({{"x", 2}}, {0, 0}),
              StatusIs(kInvalid, HasSubstr("given twice")));
  EXPECT_THAT(Mesh::Create({{"x", 2}}, {0, 2}),
              StatusIs(kInvalid, HasSubstr("out of range")));
}

}  // namespace
}  // namespace penstock
