// What every device promises, tried on each kind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <latch>
#include <thread>

#include "infeed/accounts/batch_digest.h"
#include "infeed/device.h"
#include "infeed/devices/own_slice.h"
#include "infeed/devices/simulated_device.h"
#include "infeed/infeed.h"
#include "infeed/pjrt/pjrt_devices.h"
#include "infeed/sharding/batch_placement.h"
#include "infeed/sharding/device_hosts.h"
#include "tests/infeed/counted_batches.h"
#include "tests/infeed/made_batches.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::BatchCount;
using ::penstock::testing::MadeBatches;
using ::penstock::testing::MadeOptions;
using ::penstock::testing::MakeBatch;
using ::penstock::testing::StatusIs;
using ::penstock::testing::TokenContract;
using ::penstock::testing::TopologyOf;
using ::testing::HasSubstr;

using DeviceList = std::vector<std::unique_ptr<Device>>;

struct DeviceKind {
  std::string name;
  HostMemory host_memory;
  std::function<StatusOr<DeviceList>(HostMemory)> open;  // at least four
};

StatusOr<DeviceList> OpenSimulated(HostMemory host_memory) {
  DeviceList devices;
  for (int i = 0; i < 4; ++i) {
    devices.push_back(std::make_unique<SimulatedDevice>(
        SimulatedDeviceOptions{.step_ns = 1000,
                               .compile_ns = 0,
                               .transfer_ns = 1000,
                               .host_memory = host_memory}));
  }
  return devices;
}

StatusOr<DeviceList> OpenPlugin(HostMemory host_memory) {
  PENSTOCK_ASSIGN_OR_RETURN(
      PjrtDevices opened,
      OpenPjrt(testing::FindPjrtPlugin(), {.host_memory = host_memory}));
  return std::move(opened.devices);
}

std::vector<DeviceKind> Kinds() {
  std::vector<DeviceKind> kinds;
  const std::pair<const char*, HostMemory> memories[] = {
      {"UntilCallReturns", HostMemory::kUntilCallReturns},
      {"UntilTransferCompletes", HostMemory::kUntilTransferCompletes},
      {"UntilBufferFreed", HostMemory::kUntilBufferFreed}};
  for (const auto& [name, memory] : memories) {
    kinds.push_back({std::string("Simulated") + name, memory, OpenSimulated});
    kinds.push_back({std::string("Pjrt") + name, memory, OpenPlugin});
  }
  return kinds;
}

class DeviceSuite : public ::testing::TestWithParam<DeviceKind> {
 protected:
  void SetUp() override {
    if (GetParam().name.starts_with("Pjrt")) {
      if (!HasPjrt()) {
        GTEST_SKIP() << "skipped: built without PJRT (-DPENSTOCK_PJRT=ON)";
      }
      if (testing::FindPjrtPlugin().empty()) {
        GTEST_SKIP() << "skipped: no plugin (tools/setup --pjrt, or set "
                        "PENSTOCK_PJRT_PLUGIN)";
      }
    }
    auto opened = GetParam().open(GetParam().host_memory);
    ASSERT_OK(opened);
    devices_ = *std::move(opened);
    ASSERT_GE(devices_.size(), 4u);
    for (size_t i = 0; i < devices_.size(); ++i) {
      EXPECT_EQ(devices_[i]->host_memory(), GetParam().host_memory);
    }
  }

  // The first so many.
  std::vector<Device*> First(size_t count) const {
    std::vector<Device*> devices;
    for (size_t i = 0; i < count; ++i) devices.push_back(devices_[i].get());
    return devices;
  }

  std::unique_ptr<MadeBatches> Counted(MadeOptions options) {
    options.change = [this](Batch& batch) { count_.Count(batch); };
    return std::make_unique<MadeBatches>(std::move(options));
  }

  // The last that is destroyed: devices may hold batches.
  BatchCount count_;
  DeviceList devices_;
};

INSTANTIATE_TEST_SUITE_P(Devices, DeviceSuite, ::testing::ValuesIn(Kinds()),
                         [](const auto& info) { return info.param.name; });

// Rows of a large batch, all of one shape, and what holds them.
struct HostRows {
  explicit HostRows(int64_t rows, int64_t row_begin = 0)
      : contract(
            std::make_shared<const Contract>(TokenContract(rows, {1000}))) {
    Batch made = MakeBatch(*contract, TopologyOf(1, 1, 0), 7, 0, 1 << 30);
    memory = made.memory;
    for (const Tensor& tensor : made.tensors) tensors.push_back(tensor.bytes);
    auto batch = std::make_shared<const Batch>(std::move(made));
    alive = batch;
    slice.emplace(*CoreSlice::Create(
        batch, contract, {.row_begin = row_begin, .rows = rows - row_begin}));
    bare.emplace(slice->Of(WithoutBytes(*batch)));
    digest = DigestOf(*slice);
  }

  std::shared_ptr<const Contract> contract;
  std::shared_ptr<std::byte[]> memory;  // the bytes alone
  std::vector<std::span<std::byte>> tensors;
  std::weak_ptr<const Batch> alive;  // while somebody holds a slice
  std::optional<CoreSlice> slice;
  std::optional<CoreSlice> bare;
  uint64_t digest = 0;
};

StatusOr<uint64_t> DigestBack(DeviceBatch& batch, const CoreSlice& of) {
  PENSTOCK_ASSIGN_OR_RETURN(const CoreSlice back, batch.ReadBack(of));
  return DigestOf(back);
}

TEST_P(DeviceSuite, HostBytesAreHeldUntilTheFreeEventAndNotReadBehindIt) {
  // Aligned rows, which may be used in place, and rows that begin between.
  for (const int64_t row_begin : {0, 1}) {
    HostRows rows(65, row_begin);
    ASSERT_OK_AND_ASSIGN(
        std::shared_ptr<DeviceBatch> loaded,
        devices_[0]->Transfer(*std::exchange(rows.slice, std::nullopt),
                              SteadyClock().NowNs()));
    const int64_t ready_ns = *loaded->ready().Await(SteadyClock());
    EXPECT_TRUE(loaded->host_free().HasHappened(ready_ns) ||
                !rows.alive.expired());
    ASSERT_OK_AND_ASSIGN(const uint64_t there, DigestBack(*loaded, *rows.bare));
    EXPECT_EQ(there, rows.digest);
    if (GetParam().host_memory == HostMemory::kUntilBufferFreed) {
      const DeviceEvent host_free = loaded->host_free();
      loaded = nullptr;
      ASSERT_OK(host_free.Await(SteadyClock()).status());
    } else {
      ASSERT_OK(loaded->host_free().Await(SteadyClock()).status());
    }
    EXPECT_TRUE(rows.alive.expired());
    for (const std::span<std::byte> bytes : rows.tensors) {
      std::memset(bytes.data(), 0xa5, bytes.size());
    }
    if (loaded == nullptr) continue;
    ASSERT_OK_AND_ASSIGN(const uint64_t later, DigestBack(*loaded, *rows.bare));
    EXPECT_EQ(later, rows.digest);
  }
}

TEST_P(DeviceSuite, ABatchMayOutliveItsDevice) {
  HostRows rows(8);
  ASSERT_OK_AND_ASSIGN(
      std::shared_ptr<DeviceBatch> loaded,
      devices_[0]->Transfer(*std::exchange(rows.slice, std::nullopt), 0));
  devices_.clear();
  loaded = nullptr;
  EXPECT_TRUE(rows.alive.expired());
}

TEST_P(DeviceSuite, AnUnusedDeviceIsCancelledDrainedAndDestroyed) {
  for (const auto& device : devices_) {
    device->Cancel();
    device->Drain();
  }
  const Mesh mesh = *Mesh::Create({{"data", 4}});
  Infeed infeed(Counted({.topology = TopologyOf(4, 1, 0)}), mesh,
                {.devices = First(4)});
}

TEST_P(DeviceSuite, AStepIsDoneBehindItsBeginning) {
  HostRows rows(16);
  Device& device = *devices_[1];
  ASSERT_OK_AND_ASSIGN(const auto loaded, device.Transfer(*rows.slice, 0));
  ASSERT_OK_AND_ASSIGN(const int64_t ready_ns,
                       loaded->ready().Await(SteadyClock()));
  ASSERT_OK_AND_ASSIGN(const int64_t compile_ns, device.Compile(*rows.bare));
  EXPECT_GE(compile_ns, 0);
  ASSERT_OK_AND_ASSIGN(const DeviceEvent step,
                       device.Execute(*loaded, ready_ns));
  ASSERT_OK_AND_ASSIGN(const int64_t end_ns, step.Await(SteadyClock()));
  EXPECT_GE(end_ns, ready_ns);
}

TEST_P(DeviceSuite, ABatchMayGoWhileItsStepIsOn) {
  HostRows rows(64);
  Device& device = *devices_[0];
  ASSERT_OK_AND_ASSIGN(
      std::shared_ptr<DeviceBatch> loaded,
      device.Transfer(*std::exchange(rows.slice, std::nullopt), 0));
  ASSERT_OK_AND_ASSIGN(const int64_t ready_ns,
                       loaded->ready().Await(SteadyClock()));
  ASSERT_OK(device.Compile(*rows.bare).status());
  ASSERT_OK_AND_ASSIGN(const DeviceEvent step,
                       device.Execute(*loaded, ready_ns));
  const DeviceEvent host_free = loaded->host_free();
  loaded = nullptr;
  EXPECT_OK(step.Await(SteadyClock()).status());
  EXPECT_OK(host_free.Await(SteadyClock()).status());
  device.Drain();
  EXPECT_TRUE(rows.alive.expired());
}

TEST_P(DeviceSuite, CutAndPaddedTensorsArriveAsTheyWereMeant) {
  if (GetParam().name == "SimulatedUntilCallReturns" ||
      GetParam().name == "SimulatedUntilTransferCompletes") {
    GTEST_SKIP() << "these copy whole rows";
  }
  // Six columns over four devices: two have two, one has two more, one none.
  const Mesh mesh = *Mesh::Create({{"data", 2}, {"model", 2}});
  const Contract contract = TokenContract(4, {7});
  InfeedOptions options = {.shardings = {{"tokens", {{"data"}, {"model"}}}}};
  const auto first = [&](const std::vector<Device*>& devices) {
    options.devices = devices;
    Infeed infeed(std::make_unique<MadeBatches>(MadeOptions{
                      .contract = contract,
                      .topology = *BatchTopology(mesh, options.axis,
                                                 *DeviceHosts::Blocks(4, 1), 0,
                                                 options.shardings),
                      .steps = 1}),
                  mesh, options);
    auto batch = infeed.Next();
    EXPECT_TRUE(batch.has_value()) << infeed.status();
    return batch;
  };
  const auto meant = first({});
  const auto there = first(First(4));
  ASSERT_TRUE(meant.has_value() && there.has_value());
  ASSERT_EQ(there->loaded.size(), 4u);
  for (size_t d = 0; d < 4; ++d) {
    for (size_t t = 0; t < contract.tensors.size(); ++t) {
      const TensorView view = meant->slices[d].tensor(t);
      std::vector<std::byte> want(view.packed_bytes());
      view.PackTo(want);
      std::vector<std::byte> got(want.size());
      ASSERT_OK(there->loaded[d]->Read(t, got));
      EXPECT_EQ(got, want) << "device " << d << " tensor " << t;
    }
  }
}

TEST_P(DeviceSuite, CancelInTheMiddleFreesEveryBatch) {
  const Mesh mesh = *Mesh::Create({{"data", 2}});
  for (int steps : {0, 1, 5}) {
    Infeed infeed(Counted({.contract = TokenContract(64, {512}),
                           .topology = TopologyOf(2, 1, 0),
                           .steps = 1000}),
                  mesh, {.depth = 3, .devices = First(2)});
    infeed.Start();
    for (int i = 0; i < steps; ++i) ASSERT_TRUE(infeed.Next().has_value());
    std::jthread canceller([&] { infeed.Cancel(); });
    while (infeed.Next()) {
    }
    EXPECT_THAT(infeed.status(),
                StatusIs(StatusCode::kCancelled, HasSubstr("cancelled")));
  }
  EXPECT_EQ(count_.live(), 0);
}

// A device of which one transfer fails: at once, or later by its event.
class FailingDevice final : public Device {
 public:
  FailingDevice(Device& device, uint64_t step, bool at_once)
      : device_(device), step_(step), at_once_(at_once) {}

  HostMemory host_memory() const override { return device_.host_memory(); }
  StatusOr<std::shared_ptr<DeviceBatch>> Transfer(CoreSlice slice,
                                                  int64_t now_ns) override {
    const bool fails = slice.step() == step_;
    if (fails && at_once_) return DataLossError("the link broke");
    PENSTOCK_ASSIGN_OR_RETURN(auto batch,
                              device_.Transfer(std::move(slice), now_ns));
    if (!fails) return batch;
    return std::make_shared<Broken>(std::move(batch));
  }
  StatusOr<int64_t> Compile(const CoreSlice& slice) override {
    return device_.Compile(slice);
  }
  StatusOr<DeviceEvent> Execute(DeviceBatch& batch, int64_t now_ns) override {
    return device_.Execute(batch, now_ns);
  }
  void Cancel() override { device_.Cancel(); }
  void Drain() override { device_.Drain(); }

 private:
  class Broken final : public DeviceBatch {
   public:
    explicit Broken(std::shared_ptr<DeviceBatch> batch)
        : DeviceBatch(batch->host_free(), DeviceEvent::Unset()),
          batch_(std::move(batch)) {
      ready().Set(DataLossError("the link broke"));
    }
    Status Read(size_t, std::span<std::byte>) override {
      return DataLossError("the link broke");
    }

   private:
    const std::shared_ptr<DeviceBatch> batch_;
  };

  Device& device_;
  const uint64_t step_;
  const bool at_once_;
};

TEST_P(DeviceSuite, AFailedTransferComesAtItsStepAndFreesEveryBatch) {
  const Mesh mesh = *Mesh::Create({{"data", 2}});
  for (const bool at_once : {true, false}) {
    FailingDevice failing(*devices_[1], 3, at_once);
    Infeed infeed(Counted({.topology = TopologyOf(2, 1, 0), .steps = 1000}),
                  mesh, {.depth = 2, .devices = {devices_[0].get(), &failing}});
    uint64_t steps = 0;
    while (infeed.Next()) ++steps;
    EXPECT_EQ(steps, 3u);
    EXPECT_THAT(infeed.status(),
                StatusIs(StatusCode::kDataLoss, HasSubstr("the link broke")));
  }
  EXPECT_EQ(count_.live(), 0);
}

// What is in use of the heap, without what it keeps; 0 where a sanitizer has
// its own.
size_t HeapBytes() {
  const struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

TEST_P(DeviceSuite, TenThousandSmallBatchesLeaveNothingBehind) {
  const uint64_t tenth = testing::Cases(1'000);
  const uint64_t steps = 10 * tenth;
  const Mesh mesh = *Mesh::Create({{"data", 1}});
  Infeed infeed(Counted({.contract = TokenContract(4, {16}),
                         .topology = TopologyOf(1, 1, 0),
                         .steps = steps}),
                mesh, {.depth = 2, .devices = First(1)});
  size_t early = 0;
  uint64_t taken = 0;
  while (const auto batch = infeed.Next()) {
    ASSERT_EQ(batch->loaded.size(), 1u);
    if (++taken % tenth != 0) continue;
    ASSERT_OK_AND_ASSIGN(const CoreSlice back,
                         batch->loaded[0]->ReadBack(batch->slices[0]));
    EXPECT_EQ(back.tensor(0).values<int32_t>()[0],
              static_cast<int32_t>(batch->step * 4 * 1000));
    if (taken == 2 * tenth) early = HeapBytes();
  }
  EXPECT_EQ(taken, steps) << infeed.status();
  // Two in the queue, one in the feeder's hand, one here, one that is made.
  EXPECT_LE(count_.most(), 5);
  // A leak of 64 bytes a batch would be twice this.
  EXPECT_LT(HeapBytes(), early + (256 << 10));
}

}  // namespace
}  // namespace penstock
