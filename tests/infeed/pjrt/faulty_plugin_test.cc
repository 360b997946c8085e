// The real plugin with faults put before its functions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "infeed/infeed.h"
#include "infeed/pjrt/pjrt_client.h"
#include "infeed/pjrt/pjrt_device.h"
#include "infeed/pjrt/pjrt_plugin.h"
#include "tests/infeed/counted_batches.h"
#include "tests/infeed/made_batches.h"
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
using ::testing::AllOf;
using ::testing::HasSubstr;

// What functions of the plugin are, and which of their calls go wrong.
struct Faults {
  const PJRT_Api* real = nullptr;
  std::atomic<int> transfers_before = -1;  // then one fails; -1 is none
  std::atomic<int> transfers_spoilt = 0;   // these get other bytes
  std::atomic<int64_t> buffers = 0;        // that are there
};
Faults& TheFaults() {
  static Faults& faults = *new Faults;
  return faults;
}

// The plugin's own error for a device that is none.
PJRT_Error* ErrorOf(PJRT_Client* client) {
  PJRT_Client_LookupDevice_Args args = {
      .struct_size = PJRT_Client_LookupDevice_Args_STRUCT_SIZE,
      .client = client,
      .id = 999};
  return TheFaults().real->PJRT_Client_LookupDevice(&args);
}

PJRT_Error* FaultyTransfer(PJRT_Client_BufferFromHostBuffer_Args* args) {
  Faults& faults = TheFaults();
  if (faults.transfers_before >= 0 && faults.transfers_before-- == 0) {
    return ErrorOf(args->client);
  }
  static const std::vector<std::byte> other(1 << 16, std::byte{1});
  const void* const data = args->data;
  if (faults.transfers_spoilt > 0) {
    --faults.transfers_spoilt;
    args->data = other.data();
  }
  PJRT_Error* const error = faults.real->PJRT_Client_BufferFromHostBuffer(args);
  args->data = data;
  if (error == nullptr) ++faults.buffers;
  return error;
}

PJRT_Error* CountedDestroy(PJRT_Buffer_Destroy_Args* args) {
  --TheFaults().buffers;
  return TheFaults().real->PJRT_Buffer_Destroy(args);
}

PJRT_Error* CountedExecute(PJRT_LoadedExecutable_Execute_Args* args) {
  PJRT_Error* const error =
      TheFaults().real->PJRT_LoadedExecutable_Execute(args);
  if (error == nullptr) ++TheFaults().buffers;
  return error;
}

class FaultyPluginTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string path = testing::FindPjrtPlugin();
    if (path.empty()) {
      GTEST_SKIP() << "skipped: no plugin (tools/setup --pjrt, or set "
                      "PENSTOCK_PJRT_PLUGIN)";
    }
    ASSERT_OK_AND_ASSIGN(const PjrtPlugin* const real, PjrtPlugin::Load(path));
    TheFaults().real = &real->api();
    PJRT_Api api = real->api();
    api.PJRT_Client_BufferFromHostBuffer = &FaultyTransfer;
    api.PJRT_Buffer_Destroy = &CountedDestroy;
    api.PJRT_LoadedExecutable_Execute = &CountedExecute;
    auto faulty = PjrtPlugin::Of(&api, "faulty");
    ASSERT_OK(faulty);
    plugin_.emplace(*std::move(faulty));
    ASSERT_OK_AND_ASSIGN(auto client, PjrtClient::Create(*plugin_, {}));
    device_ = std::make_unique<PjrtDevice>(
        client, client->devices()[0],
        PjrtDeviceOptions{.host_memory = HostMemory::kUntilTransferCompletes,
                          .check_steps = true,
                          .clock = SteadyClock()});
  }
  void TearDown() override {
    device_ = nullptr;
    TheFaults().transfers_before = -1;
    EXPECT_EQ(TheFaults().buffers, 0);
  }

  std::optional<PjrtPlugin> plugin_;
  std::unique_ptr<PjrtDevice> device_;
};

// Each batch has three tensors: the fault comes at each of them.
TEST_F(FaultyPluginTest, ATransferThatFailsFreesWhatWentBeforeAndIsNamed) {
  const Mesh mesh = *Mesh::Create({{"data", 1}});
  const char* const names[] = {"tokens", "tokens_length", "weights"};
  for (int t = 0; t < 3; ++t) {
    BatchCount count;
    {
      TheFaults().transfers_before = 2 * 3 + t;
      Infeed infeed(std::make_unique<MadeBatches>(MadeOptions{
                        .topology = TopologyOf(1, 1, 0),
                        .steps = 9,
                        .change = [&](Batch& batch) { count.Count(batch); }}),
                    mesh, {.devices = {device_.get()}});
      uint64_t steps = 0;
      while (infeed.Next()) ++steps;
      EXPECT_EQ(steps, 2u);
      EXPECT_THAT(
          infeed.status().message(),
          AllOf(HasSubstr("step 2"), HasSubstr(names[t]), HasSubstr("999")));
    }
    EXPECT_EQ(count.live(), 0);
  }
}

TEST_F(FaultyPluginTest, AStepOnOtherBytesThanTheHostsIsDataLoss) {
  auto contract = std::make_shared<const Contract>(TokenContract(4, {8}));
  auto batch = std::make_shared<const Batch>(
      MakeBatch(*contract, TopologyOf(1, 1, 0), 5, 0, 1000));
  ASSERT_OK_AND_ASSIGN(const CoreSlice slice,
                       CoreSlice::Create(batch, contract, {.rows = 4}));
  ASSERT_OK(device_->Compile(slice).status());
  for (const bool spoilt : {true, false}) {
    TheFaults().transfers_spoilt = spoilt ? 1 : 0;
    ASSERT_OK_AND_ASSIGN(const auto loaded, device_->Transfer(slice, 0));
    ASSERT_OK_AND_ASSIGN(const DeviceEvent step, device_->Execute(*loaded, 0));
    const Status done = step.Await(SteadyClock()).status();
    if (spoilt) {
      EXPECT_THAT(done, StatusIs(StatusCode::kDataLoss,
                                 AllOf(HasSubstr("step 5: the device's sum"),
                                       HasSubstr("other bytes"))));
    } else {
      EXPECT_OK(done);
    }
  }
}

}  // namespace
}  // namespace penstock
