#include "infeed/pjrt/pjrt_device.h"

#include <fmt/format.h>

#include <utility>

#include "infeed/pjrt/pjrt_batch.h"
#include "infeed/pjrt/sum_program.h"

namespace penstock {

PjrtDevice::PjrtDevice(std::shared_ptr<PjrtClient> client, PJRT_Device* device,
                       PjrtDeviceOptions options)
    : client_(std::move(client)), device_(device), options_(options) {}

PjrtDevice::~PjrtDevice() { Drain(); }

StatusOr<std::shared_ptr<DeviceBatch>> PjrtDevice::Transfer(CoreSlice slice,
                                                            int64_t now_ns) {
  std::optional<uint64_t> expected;
  if (options_.check_steps) {
    PENSTOCK_ASSIGN_OR_RETURN(const SumProgram program, SumProgramOf(slice));
    expected = HostSum(program, slice);
  }
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::shared_ptr<PjrtBatch> batch,
      PjrtBatch::Begin(client_, device_, options_.host_memory, std::move(slice),
                       options_.clock, under_way_));
  batch->expected_sum = expected;
  return batch;
}

StatusOr<int64_t> PjrtDevice::Compile(const CoreSlice& slice) {
  const int64_t begin_ns = options_.clock.NowNs();
  PENSTOCK_ASSIGN_OR_RETURN(const SumProgram program, SumProgramOf(slice));
  PENSTOCK_ASSIGN_OR_RETURN(PJRT_LoadedExecutable* const executable,
                            client_->Compile(program.mlir));
  compiled_ = {executable, program.arguments};
  return options_.clock.NowNs() - begin_ns;
}

StatusOr<DeviceEvent> PjrtDevice::Execute(DeviceBatch& batch, int64_t now_ns) {
  const auto& mine = static_cast<PjrtBatch&>(batch);
  if (compiled_.executable == nullptr) {
    return FailedPreconditionError("Compile() comes before a step");
  }
  std::vector<PJRT_Buffer*> arguments;
  for (const size_t t : compiled_.arguments) {
    arguments.push_back(mine.buffers()[t]);
  }
  PJRT_Buffer* const* argument_list = arguments.data();
  PJRT_Buffer* output = nullptr;
  PJRT_Buffer** output_list = &output;
  PJRT_ExecuteOptions how = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
  PJRT_LoadedExecutable_Execute_Args args = {
      .struct_size = PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE,
      .executable = compiled_.executable,
      .options = &how,
      .argument_lists = &argument_list,
      .num_devices = 1,
      .num_args = arguments.size(),
      .output_lists = &output_list,
      .execute_device = device_};
  const PJRT_Api& api = client_->api();
  PENSTOCK_RETURN_IF_ERROR(Annotate(
      client_->plugin().ToStatus(api.PJRT_LoadedExecutable_Execute(&args)),
      fmt::format("step {} does not begin", mine.step)));
  return SumOf(output, mine);
}

StatusOr<DeviceEvent> PjrtDevice::SumOf(PJRT_Buffer* output,
                                        const PjrtBatch& batch) {
  const auto sum = std::make_shared<uint64_t>(0);
  PJRT_Buffer_ToHostBuffer_Args args = {
      .struct_size = PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE,
      .src = output,
      .dst = sum.get(),
      .dst_size = sizeof(uint64_t)};
  const Status asked = client_->plugin().ToStatus(
      client_->api().PJRT_Buffer_ToHostBuffer(&args));
  // What reads it keeps what it needs.
  client_->Destroy(output);
  PENSTOCK_RETURN_IF_ERROR(asked);
  const DeviceEvent done = DeviceEvent::Unset();
  under_way_->Begin();
  client_->OnReady(
      args.event,
      [sum, done, step = batch.step, expected = batch.expected_sum,
       &clock = options_.clock, under_way = under_way_](const Status& how) {
        if (!how.ok()) {
          done.Set(how);
        } else if (expected && *expected != *sum) {
          done.Set(DataLossError(
              fmt::format("step {}: the device's sum is {}, the host's was {}: "
                          "the device was fed other bytes than these",
                          step, *sum, *expected)));
        } else {
          done.Set(clock.NowNs());
        }
        under_way->End();
      });
  return done;
}

void PjrtDevice::Drain() { under_way_->AwaitNone(); }

StatusOr<PjrtDevices> OpenPjrt(const std::string& plugin, PjrtOptions options) {
  PENSTOCK_ASSIGN_OR_RETURN(const PjrtPlugin* loaded, PjrtPlugin::Load(plugin));
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::shared_ptr<PjrtClient> client,
      PjrtClient::Create(*loaded, options.client_options));
  PjrtDevices opened = {
      .platform = client->platform(),
      .description = fmt::format("{}, {} device{}, PJRT {}", client->platform(),
                                 client->devices().size(),
                                 client->devices().size() == 1 ? "" : "s",
                                 loaded->version())};
  for (PJRT_Device* const device : client->devices()) {
    opened.devices.push_back(std::make_unique<PjrtDevice>(
        client, device,
        PjrtDeviceOptions{.host_memory = options.host_memory,
                          .check_steps = options.check_steps,
                          .clock = options.clock != nullptr ? *options.clock
                                                            : SteadyClock()}));
  }
  return opened;
}

bool HasPjrt() { return true; }

}  // namespace penstock
