#include "infeed/devices/simulated_device.h"

#include <gtest/gtest.h>

#include "tests/infeed/made_batches.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::MakeBatch;
using ::penstock::testing::TokenContract;
using ::penstock::testing::TopologyOf;

CoreSlice Slice() {
  // 4 rows of 14 tokens, a length and a weight: 256 bytes.
  auto contract = std::make_shared<const Contract>(TokenContract(4, {14}));
  auto batch = std::make_shared<const Batch>(
      MakeBatch(*contract, TopologyOf(1, 1, 0), 0, 0, 1000));
  return *CoreSlice::Create(batch, contract, {.rows = 4});
}

TEST(SimulatedDeviceTest, TransfersTakeTheLinkOneAfterTheOther) {
  SimulatedDevice device({.transfer_ns = 100, .bytes_per_second = 1e9});
  ASSERT_OK_AND_ASSIGN(const Work first, device.Transfer(Slice(), 1000));
  EXPECT_EQ(first, (Work{1000, 1356}));
  ASSERT_OK_AND_ASSIGN(const Work second, device.Transfer(Slice(), 1001));
  EXPECT_EQ(second, (Work{1356, 1712}));
  ASSERT_OK_AND_ASSIGN(const Work third, device.Transfer(Slice(), 2000));
  EXPECT_EQ(third, (Work{2000, 2356}));
}

TEST(SimulatedDeviceTest, NoBandwidthIsALinkWithoutLimit) {
  SimulatedDevice device({.transfer_ns = 5, .bytes_per_second = 0});
  ASSERT_OK_AND_ASSIGN(const Work work, device.Transfer(Slice(), 10));
  EXPECT_EQ(work, (Work{10, 15}));
}

// pytorch/xla issue 8525 measured 3.98 GB/s for 1 MB.
TEST(SimulatedDeviceTest, DefaultLinkGivesTheMeasuredFourGigabytesASecond) {
  const SimulatedDeviceOptions defaults;
  const double ns = static_cast<double>(defaults.transfer_ns) +
                    1e6 * 1e9 / defaults.bytes_per_second;
  EXPECT_NEAR(1e6 / ns, 3.98, 0.05);
}

TEST(SimulatedDeviceTest, StepsGrowWithTheTokensOfTheSlice) {
  SimulatedDevice device(
      {.step_ns = 1000, .step_ns_per_token = 2.5, .compile_ns = 77});
  ASSERT_OK_AND_ASSIGN(const Work step, device.Execute(Slice(), 5));
  EXPECT_EQ(step, (Work{5, 5 + 1000 + 4 * 14 * 5 / 2}));
  EXPECT_EQ(device.CompileNs(Slice()), 77);
}

}  // namespace
}  // namespace penstock
