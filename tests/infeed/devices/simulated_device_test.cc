#include "infeed/devices/simulated_device.h"

#include <gtest/gtest.h>

#include <optional>

#include "tests/infeed/made_batches.h"
#include "tests/infeed/queues/fake_clock.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::FakeClock;
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

// On a clock on which it has happened.
int64_t WhenNs(const DeviceEvent& event) {
  FakeClock clock;
  const StatusOr<int64_t> at_ns = event.Await(clock);
  EXPECT_TRUE(at_ns.ok()) << at_ns.status();
  return at_ns.ok() ? *at_ns : 0;
}

int64_t ReadyNs(SimulatedDevice& device, int64_t now_ns) {
  const auto batch = device.Transfer(Slice(), now_ns);
  EXPECT_TRUE(batch.ok()) << batch.status();
  return batch.ok() ? WhenNs((*batch)->ready()) : 0;
}

TEST(DeviceEventTest, OnlyATimeGivenInAdvanceIsKnown) {
  EXPECT_EQ(DeviceEvent::At(5).known_ns(), 5);
  const DeviceEvent told = DeviceEvent::Unset();
  EXPECT_EQ(told.known_ns(), std::nullopt);
  told.Set(7);
  EXPECT_EQ(told.known_ns(), std::nullopt);
  EXPECT_EQ(WhenNs(told), 7);
}

TEST(SimulatedDeviceTest, TransfersTakeTheLinkOneAfterTheOther) {
  SimulatedDevice device({.transfer_ns = 100, .bytes_per_second = 1e9});
  EXPECT_EQ(ReadyNs(device, 1000), 1356);
  EXPECT_EQ(ReadyNs(device, 1001), 1712);
  EXPECT_EQ(ReadyNs(device, 2000), 2356);
}

TEST(SimulatedDeviceTest, NoBandwidthIsALinkWithoutLimit) {
  SimulatedDevice device({.transfer_ns = 5, .bytes_per_second = 0});
  EXPECT_EQ(ReadyNs(device, 10), 15);
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
  ASSERT_OK_AND_ASSIGN(const auto batch, device.Transfer(Slice(), 1));
  ASSERT_OK_AND_ASSIGN(const DeviceEvent step, device.Execute(*batch, 5));
  EXPECT_EQ(WhenNs(step), 5 + 1000 + 4 * 14 * 5 / 2);
  ASSERT_OK_AND_ASSIGN(const int64_t compile_ns, device.Compile(Slice()));
  EXPECT_EQ(compile_ns, 77);
}

}  // namespace
}  // namespace penstock
