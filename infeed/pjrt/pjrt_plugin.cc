#include "infeed/pjrt/pjrt_plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

namespace penstock {
namespace {

// The last function that is called here; those before it are there, too.
constexpr size_t kNeededBytes =
    PJRT_STRUCT_SIZE(PJRT_Api, PJRT_Buffer_ReadyEvent);
constexpr size_t kVersionBytes = PJRT_STRUCT_SIZE(PJRT_Api, pjrt_api_version);

StatusOr<const PJRT_Api*> ApiIn(const std::string& path) {
  if (access(path.c_str(), R_OK) != 0) {
    return NotFoundError(fmt::format(
        "{}: no PJRT plugin there that can be read: {}; tools/setup --pjrt "
        "fetches the CPU's to build/pjrt/",
        path, std::strerror(errno)));
  }
  // A name without a slash would be looked for elsewhere.
  const std::string place = path.starts_with('/') ? path : "./" + path;
  void* const plugin = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) {
    return InvalidArgumentError(
        fmt::format("{}: cannot be loaded as a PJRT plugin: {}; name the "
                    "plugin's shared object, built for this machine",
                    path, dlerror()));
  }
  using GetApi = const PJRT_Api*();
  auto* const get = reinterpret_cast<GetApi*>(dlsym(plugin, "GetPjrtApi"));
  if (get == nullptr) {
    return InvalidArgumentError(fmt::format(
        "{}: is no PJRT plugin, as it has no function GetPjrtApi; tools/setup "
        "--pjrt fetches the CPU's",
        path));
  }
  const PJRT_Api* const api = get();
  if (api == nullptr) {
    return FailedPreconditionError(
        fmt::format("{}: its GetPjrtApi gives nothing; the plugin is broken, "
                    "take another build of it",
                    path));
  }
  return api;
}

StatusOr<PjrtPlugin> LoadAndInitialize(const std::string& path) {
  PENSTOCK_ASSIGN_OR_RETURN(const PJRT_Api* api, ApiIn(path));
  PENSTOCK_ASSIGN_OR_RETURN(PjrtPlugin plugin, PjrtPlugin::Of(api, path));
  PJRT_Plugin_Initialize_Args args = {
      .struct_size = PJRT_Plugin_Initialize_Args_STRUCT_SIZE};
  PENSTOCK_RETURN_IF_ERROR(
      Annotate(plugin.ToStatus(plugin.api().PJRT_Plugin_Initialize(&args)),
               path + ": the plugin did not start"));
  return plugin;
}

}  // namespace

StatusOr<const PjrtPlugin*> PjrtPlugin::Load(const std::string& path) {
  static std::mutex& mutex = *new std::mutex;
  static auto& plugins = *new std::map<std::string, PjrtPlugin>;
  const std::lock_guard lock(mutex);
  const auto found = plugins.find(path);
  if (found != plugins.end()) return &found->second;
  PENSTOCK_ASSIGN_OR_RETURN(PjrtPlugin plugin, LoadAndInitialize(path));
  return &plugins.emplace(path, std::move(plugin)).first->second;
}

StatusOr<PjrtPlugin> PjrtPlugin::Of(const PJRT_Api* api, std::string name) {
  PjrtPlugin plugin;
  std::memcpy(&plugin.api_, api, std::min(api->struct_size, sizeof(PJRT_Api)));
  const PJRT_Api_Version& its = plugin.api_.pjrt_api_version;
  if (api->struct_size < kVersionBytes || its.major_version != PJRT_API_MAJOR) {
    return FailedPreconditionError(fmt::format(
        "{}: speaks PJRT {}.{}, which this Penstock, built for {}.{}, does "
        "not; take a plugin of major version {}, or build with that plugin's "
        "pjrt_c_api.h (PENSTOCK_PJRT_HEADER_DIR)",
        name, its.major_version, its.minor_version, PJRT_API_MAJOR,
        PJRT_API_MINOR, PJRT_API_MAJOR));
  }
  if (api->struct_size < kNeededBytes ||
      plugin.api_.PJRT_Buffer_ReadyEvent == nullptr) {
    return FailedPreconditionError(fmt::format(
        "{}: is too old: its PJRT {}.{} has {} bytes of functions, and "
        "PJRT_Buffer_ReadyEvent ends at {}; take a newer plugin",
        name, its.major_version, its.minor_version, api->struct_size,
        kNeededBytes));
  }
  plugin.name_ = std::move(name);
  return plugin;
}

std::string PjrtPlugin::version() const {
  return fmt::format("{}.{}", api_.pjrt_api_version.major_version,
                     api_.pjrt_api_version.minor_version);
}

Status PjrtPlugin::ToStatus(PJRT_Error* error) const {
  if (error == nullptr) return OkStatus();
  PJRT_Error_Message_Args message = {
      .struct_size = PJRT_Error_Message_Args_STRUCT_SIZE, .error = error};
  api_.PJRT_Error_Message(&message);
  PJRT_Error_GetCode_Args code = {
      .struct_size = PJRT_Error_GetCode_Args_STRUCT_SIZE, .error = error};
  PJRT_Error* const no_code = api_.PJRT_Error_GetCode(&code);
  // PJRT has Abseil's codes, and so have we.
  const bool known = no_code == nullptr &&
                     code.code >= PJRT_Error_Code_CANCELLED &&
                     code.code <= PJRT_Error_Code_DATA_LOSS;
  const Status told(
      known ? static_cast<StatusCode>(code.code) : StatusCode::kUnknown,
      std::string_view(message.message, message.message_size));
  Destroy(no_code);
  Destroy(error);
  return told;
}

void PjrtPlugin::Destroy(PJRT_Error* error) const {
  PJRT_Error_Destroy_Args args = {
      .struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE, .error = error};
  api_.PJRT_Error_Destroy(&args);
}

}  // namespace penstock
