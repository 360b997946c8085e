#include "infeed/accounts/loss_weight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/infeed/made_batches.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::MakeBatch;
using ::penstock::testing::StatusIs;
using ::penstock::testing::TokenContract;
using ::penstock::testing::TopologyOf;
using ::testing::HasSubstr;

// Computed: four hosts with 32, 32, 32 and 7 real rows, mean losses 1, 1, 1, 3.
TEST(LossWeightTest, PartsCountByTheirWeights) {
  const std::vector<WeightedLoss> hosts = {
      {32, 32}, {32, 32}, {32, 32}, {3 * 7, 7}};
  ASSERT_OK_AND_ASSIGN(const double mean, MeanLoss(hosts));
  EXPECT_NEAR(mean, 1.1359, 0.00005);  // the mean of the means is 1.5
}

TEST(LossWeightTest, NothingToLearnFromIsAnError) {
  const std::vector<WeightedLoss> none = {{0, 0}, {0, 0}};
  EXPECT_THAT(MeanLoss(none),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("skip the")));
  EXPECT_FALSE(MeanLoss({}).ok());
}

TEST(LossWeightTest, SlicesWeighTheirRealRows) {
  const auto contract = std::make_shared<const Contract>(TokenContract(8, {4}));
  double all = 0;
  for (int64_t begin = 0; begin < 8; begin += 2) {
    const auto batch = std::make_shared<const Batch>(
        MakeBatch(*contract, TopologyOf(4, 1, 0), 0, 0, 5));
    ASSERT_OK_AND_ASSIGN(
        const CoreSlice slice,
        CoreSlice::Create(batch, contract, {.row_begin = begin, .rows = 2}));
    all += WeightOf(slice);
  }
  EXPECT_EQ(all, 5);
}

}  // namespace
}  // namespace penstock
