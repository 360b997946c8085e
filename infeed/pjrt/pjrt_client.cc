#include "infeed/pjrt/pjrt_client.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include "formats/files/quoted.h"

namespace penstock {
namespace {

// A serialized xla.CompileOptionsProto.
//   3 executable_build_options { 4 num_replicas: 1, 5 num_partitions: 1 }
//   4 compile_portable_executable: true, so that any device runs it
// Source:  xla/pjrt/proto/compile_options.proto of openxla/xla.
constexpr std::string_view kCompileOptions = "\x1a\x04\x20\x01\x28\x01\x20\x01";
constexpr std::string_view kMlir = "mlir";

// Points into `text`.
StatusOr<PJRT_NamedValue> ParseOption(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return InvalidArgumentError(fmt::format(
        "{} is no option of a PJRT client: write NAME=VALUE, such as "
        "cpu_device_count=8",
        Quoted(text)));
  }
  PJRT_NamedValue value = {.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                           .name = text.data(),
                           .name_size = equals,
                           .value_size = 1};
  const std::string_view given = std::string_view(text).substr(equals + 1);
  const char* const end = given.data() + given.size();
  int64_t number = 0;
  const auto read = std::from_chars(given.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end) {
    value.type = PJRT_NamedValue_kInt64;
    value.int64_value = number;
  } else if (given == "true" || given == "false") {
    value.type = PJRT_NamedValue_kBool;
    value.bool_value = given == "true";
  } else {
    value.type = PJRT_NamedValue_kString;
    value.string_value = given.data();
    value.value_size = given.size();
  }
  return value;
}

// Somebody waits for an event.
struct Waiter {
  const PjrtPlugin& plugin;
  PJRT_Event* event;
  std::function<void(const Status&)> then;
  std::shared_ptr<UnderWay> events;  // outlives the client

  void Tell(const Status& status) {
    PJRT_Event_Destroy_Args args = {
        .struct_size = PJRT_Event_Destroy_Args_STRUCT_SIZE, .event = event};
    plugin.ToStatus(plugin.api().PJRT_Event_Destroy(&args)).IgnoreError();
    then(status);
    then = nullptr;  // what it holds goes before the client may
    events->End();
  }
};

void TellWaiter(PJRT_Error* error, void* of) {
  const std::unique_ptr<Waiter> waiter(static_cast<Waiter*>(of));
  waiter->Tell(waiter->plugin.ToStatus(error));
}

}  // namespace

void UnderWay::Begin() {
  const std::lock_guard lock(mutex_);
  ++count_;
}

void UnderWay::End() {
  const std::lock_guard lock(mutex_);
  if (--count_ == 0) none_.notify_all();
}

void UnderWay::AwaitNone() {
  std::unique_lock lock(mutex_);
  none_.wait(lock, [&] { return count_ == 0; });
}

StatusOr<std::shared_ptr<PjrtClient>> PjrtClient::Create(
    const PjrtPlugin& plugin, const std::vector<std::string>& options) {
  std::vector<PJRT_NamedValue> values;
  for (const std::string& option : options) {
    PENSTOCK_ASSIGN_OR_RETURN(values.emplace_back(), ParseOption(option));
  }
  PJRT_Client_Create_Args create = {
      .struct_size = PJRT_Client_Create_Args_STRUCT_SIZE,
      .create_options = values.data(),
      .num_options = values.size()};
  const PJRT_Api& api = plugin.api();
  const Status created = plugin.ToStatus(api.PJRT_Client_Create(&create));
  if (!created.ok()) {
    return Status(
        created.code(),
        fmt::format("{}: the plugin gives no client: {}; where another process "
                    "has the device, end that one or take another device",
                    plugin.name(), created.message()));
  }
  std::shared_ptr<PjrtClient> client(new PjrtClient(plugin));
  client->client_ = create.client;
  PJRT_Client_AddressableDevices_Args devices = {
      .struct_size = PJRT_Client_AddressableDevices_Args_STRUCT_SIZE,
      .client = create.client};
  PENSTOCK_RETURN_IF_ERROR(
      plugin.ToStatus(api.PJRT_Client_AddressableDevices(&devices)));
  client->devices_.assign(
      devices.addressable_devices,
      devices.addressable_devices + devices.num_addressable_devices);
  PJRT_Client_PlatformName_Args name = {
      .struct_size = PJRT_Client_PlatformName_Args_STRUCT_SIZE,
      .client = create.client};
  PENSTOCK_RETURN_IF_ERROR(
      plugin.ToStatus(api.PJRT_Client_PlatformName(&name)));
  client->platform_.assign(name.platform_name, name.platform_name_size);
  return client;
}

PjrtClient::~PjrtClient() {
  events_->AwaitNone();
  for (const auto& [mlir, program] : programs_) {
    PJRT_LoadedExecutable_Destroy_Args args = {
        .struct_size = PJRT_LoadedExecutable_Destroy_Args_STRUCT_SIZE,
        .executable = program};
    plugin_.ToStatus(api().PJRT_LoadedExecutable_Destroy(&args)).IgnoreError();
  }
  PJRT_Client_Destroy_Args args = {
      .struct_size = PJRT_Client_Destroy_Args_STRUCT_SIZE, .client = client_};
  plugin_.ToStatus(api().PJRT_Client_Destroy(&args)).IgnoreError();
}

void PjrtClient::OnReady(PJRT_Event* event,
                         std::function<void(const Status&)> then) {
  events_->Begin();
  auto waiter = std::make_unique<Waiter>(
      Waiter{plugin_, event, std::move(then), events_});
  PJRT_Event_OnReady_Args args = {
      .struct_size = PJRT_Event_OnReady_Args_STRUCT_SIZE,
      .event = event,
      .callback = &TellWaiter,
      .user_arg = waiter.get()};
  const Status asked = plugin_.ToStatus(api().PJRT_Event_OnReady(&args));
  if (asked.ok()) {
    (void)waiter.release();  // TellWaiter() has it
  } else {
    waiter->Tell(asked);
  }
}

StatusOr<PJRT_LoadedExecutable*> PjrtClient::Compile(const std::string& mlir) {
  const std::lock_guard lock(mutex_);
  const auto found = programs_.find(mlir);
  if (found != programs_.end()) return found->second;
  std::string code = mlir;
  const PJRT_Program program = {.struct_size = PJRT_Program_STRUCT_SIZE,
                                .code = code.data(),
                                .code_size = code.size(),
                                .format = kMlir.data(),
                                .format_size = kMlir.size()};
  PJRT_Client_Compile_Args args = {
      .struct_size = PJRT_Client_Compile_Args_STRUCT_SIZE,
      .client = client_,
      .program = &program,
      .compile_options = kCompileOptions.data(),
      .compile_options_size = kCompileOptions.size()};
  PENSTOCK_RETURN_IF_ERROR(
      Annotate(plugin_.ToStatus(api().PJRT_Client_Compile(&args)),
               plugin_.name() + ": a step does not compile"));
  programs_.emplace(mlir, args.executable);
  return args.executable;
}

void PjrtClient::Destroy(PJRT_Buffer* buffer) const {
  PJRT_Buffer_Destroy_Args args = {
      .struct_size = PJRT_Buffer_Destroy_Args_STRUCT_SIZE, .buffer = buffer};
  plugin_.ToStatus(api().PJRT_Buffer_Destroy(&args)).IgnoreError();
}

}  // namespace penstock
