#include "pipeline/mask_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace penstock {
namespace {

using ::testing::ElementsAre;

TEST(MaskViewTest, MasksOfPaddingAndSegmentsAreViewsOfTheSameMemory) {
  std::vector<int32_t> ids = {1, 1, 2, 0,  //
                              1, 0, 0, 0};
  const Tensor tensor = {{2, 4}, std::as_writable_bytes(std::span(ids))};
  const MaskView keys = KeySegments(tensor);
  EXPECT_THAT(keys.shape, ElementsAre(2, 1, 1, 4));
  EXPECT_THAT(keys.strides_bytes, ElementsAre(16, 0, 0, 4));
  EXPECT_EQ(keys.values, tensor.bytes.data());
  EXPECT_EQ(keys.At({0, 0, 0, 2}), 2);
  EXPECT_EQ(keys.At({1, 0, 0, 0}), 1);

  const MaskView key = KeySegmentsOfQueries(tensor);
  const MaskView query = QuerySegmentsOfKeys(tensor);
  EXPECT_THAT(key.shape, ElementsAre(2, 1, 4, 4));
  EXPECT_THAT(query.shape, ElementsAre(2, 1, 4, 4));
  EXPECT_THAT(key.strides_bytes, ElementsAre(16, 0, 0, 4));
  EXPECT_THAT(query.strides_bytes, ElementsAre(16, 0, 4, 0));
  std::vector<std::string> seen;
  for (int64_t q = 0; q < 4; ++q) {
    std::string line;
    for (int64_t k = 0; k < 4; ++k) {
      const int32_t one = key.At({0, 0, q, k});
      line += one != 0 && one == query.At({0, 0, q, k}) ? 'x' : '.';
    }
    seen.push_back(line);
  }
  EXPECT_THAT(seen, ElementsAre("xx..", "xx..", "..x.", "...."));
  EXPECT_EQ(KeyMaskBytes(2, 4), 8u);
  EXPECT_EQ(PairMaskBytes(2, 4), 32u);
}

}  // namespace
}  // namespace penstock
