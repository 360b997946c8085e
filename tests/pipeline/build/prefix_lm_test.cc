// What is prefix, and what is learned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/pipeline/build/learned.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;

TEST(PrefixLmTest, PrefixesHaveEveryLengthAndOnlyTheRestIsLearned) {
  constexpr size_t kRecords = 900;
  PlacedRows rows(Learn(PrefixLm{.seed = 2}, 12), Records(kRecords, 10));
  rows.AddRecords(kRecords);
  rows.Placed();
  std::map<int64_t, int64_t> lengths;
  for (size_t r = 0; r < kRecords; ++r) {
    const auto prefix = rows.Row<uint8_t>("tokens_prefix", r);
    const auto weights = rows.Row<float>("tokens_loss_weights", r);
    const auto labels = rows.Row<int32_t>("tokens_labels", r);
    const auto length = std::count(prefix.begin(), prefix.end(), 1);
    ++lengths[length];
    for (int64_t i = 0; i < 12; ++i) {
      const auto at = static_cast<size_t>(i);
      ASSERT_EQ(prefix[at], i < length ? 1 : 0);
      ASSERT_EQ(weights[at], i + 1 >= length && i < 9 ? 1 : 0);
      ASSERT_EQ(labels[at] == -100, i >= 9);
    }
  }
  EXPECT_EQ(lengths.size(), 9u);
  for (const auto& [length, count] : lengths) {
    EXPECT_THAT(length, AllOf(::testing::Ge(1), ::testing::Le(9)));
    ExpectPart(count, kRecords, 1.0 / 9);
  }
}

TEST(PrefixLmTest, PiecesOfOneAndNoTokenHaveNothingToLearn) {
  PlacedRows rows(Learn(PrefixLm{}, 3), {{5}, {}});
  rows.AddRecords(2);
  rows.Placed();
  EXPECT_THAT(rows.Row<uint8_t>("tokens_prefix", 0), ElementsAre(1, 0, 0));
  EXPECT_THAT(rows.Row<float>("tokens_loss_weights", 0), ElementsAre(0, 0, 0));
  EXPECT_THAT(rows.Row<uint8_t>("tokens_prefix", 1), ElementsAre(0, 0, 0));
}

}  // namespace
}  // namespace penstock::testing
