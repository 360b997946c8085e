// Tables of XLA's tiled layouts.
#include "infeed/sharding/tiled_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace penstock {
namespace {

using ::testing::ElementsAre;

// openxla/xla docs/tiled_layout.md has both.
TEST(TiledLayoutTest, ElementsLieWhereXlaSaysTheyDo) {
  EXPECT_EQ(TiledIndex(std::vector<int64_t>{2, 3}, std::vector<int64_t>{3, 5},
                       std::vector<int64_t>{2, 2}),
            17u);
  EXPECT_EQ(TiledIndex(std::vector<int64_t>{3, 1, 0, 1},
                       std::vector<int64_t>{4, 2, 2, 4},
                       std::vector<int64_t>{2, 1, 1, 1}),
            51u);
}

TEST(TiledLayoutTest, EachElementHasAPlaceOfItsOwnWithinTheArray) {
  const std::vector<int64_t> shape = {2, 5, 130};
  for (const int generation : {3, 4, 7}) {
    for (const ElementType type :
         {ElementType::kInt32, ElementType::kBFloat16, ElementType::kInt8}) {
      const std::vector<int64_t> tile = TileOf(type, shape, generation);
      std::set<uint64_t> places;
      for (int64_t a = 0; a < shape[0]; ++a) {
        for (int64_t b = 0; b < shape[1]; ++b) {
          for (int64_t c = 0; c < shape[2]; ++c) {
            places.insert(
                TiledIndex(std::vector<int64_t>{a, b, c}, shape, tile));
          }
        }
      }
      EXPECT_EQ(places.size(), 2u * 5 * 130);
      EXPECT_LT(*places.rbegin() * SizeBytes(type),
                TiledBytes(type, shape, generation));
    }
  }
}

struct TiledCase {
  ElementType type;
  std::vector<int64_t> shape;
  uint64_t dense_bytes;
  uint64_t tiled_bytes;
};

// By the rules of jax/_src/tpu_info.py, generations 4 to 6.
TEST(TiledLayoutTest, BytesAreThoseOfTheTable) {
  const std::vector<TiledCase> cases = {
      {ElementType::kInt32, {8, 2048}, 65'536, 65'536},
      {ElementType::kInt32, {5, 2048}, 40'960, 65'536},
      {ElementType::kFloat32, {103, 100}, 41'200, 53'248},
      {ElementType::kBFloat16, {103, 100}, 20'600, 26'624},
      {ElementType::kFloat32, {3, 5}, 60, 2'048},
      {ElementType::kInt32, {103}, 412, 512},
      {ElementType::kUint8, {32, 224, 224, 3}, 4'816'896, 205'520'896},
      {ElementType::kUint8, {32, 150'528}, 4'816'896, 4'816'896},
      {ElementType::kBFloat16, {32, 224, 224, 3}, 9'633'792, 411'041'792},
      // Stored as four bytes each: a mask that is 2048 times its segment ids.
      {ElementType::kBool, {8, 1, 2048, 2048}, 33'554'432, 134'217'728}};
  for (const TiledCase& c : cases) {
    for (const int generation : {4, 5, 6}) {
      EXPECT_EQ(TiledBytes(c.type, c.shape, generation), c.tiled_bytes);
    }
    EXPECT_EQ(TiledBytes(c.type, c.shape, 0), c.dense_bytes);
  }
}

TEST(TiledLayoutTest, GenerationsDifferInTheRowsOfATile) {
  const std::vector<int64_t> one_row = {1, 512};
  EXPECT_THAT(TileOf(ElementType::kFloat32, one_row, 3), ElementsAre(2, 128));
  EXPECT_THAT(TileOf(ElementType::kFloat32, one_row, 4), ElementsAre(1, 128));
  EXPECT_THAT(TileOf(ElementType::kBFloat16, one_row, 4), ElementsAre(2, 128));
  const std::vector<int64_t> rows = {100, 512};
  EXPECT_THAT(TileOf(ElementType::kBFloat16, rows, 6), ElementsAre(8, 128));
  EXPECT_THAT(TileOf(ElementType::kBFloat16, rows, 7), ElementsAre(16, 128));
  EXPECT_THAT(TileOf(ElementType::kInt8, rows, 5), ElementsAre(32, 128));
  EXPECT_THAT(TileOf(ElementType::kInt32, std::vector<int64_t>{9}, 3),
              ElementsAre(256));
}

}  // namespace
}  // namespace penstock
