// A plugin's client: its devices, its events and the programs it compiled.
#pragma once

#include <pjrt_c_api.h>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/pjrt/pjrt_plugin.h"

namespace penstock {

// How many things are under way.
//
// Threads: any number at a time.
class UnderWay {
 public:
  void Begin();
  void End();
  // Until there are none.
  void AwaitNone();

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  size_t count_ = 0;  // guarded by mutex_
};

// Threads: any number at a time; not destroyed by what OnReady() calls.
class PjrtClient {
 public:
  // `plugin` is borrowed; `options` are those of PjrtOptions.
  // Errors:  the plugin's; kInvalidArgument for an option without a value.
  static StatusOr<std::shared_ptr<PjrtClient>> Create(
      const PjrtPlugin& plugin, const std::vector<std::string>& options);
  // Waits until nothing of OnReady() is to come.
  ~PjrtClient();
  PjrtClient(const PjrtClient&) = delete;
  PjrtClient& operator=(const PjrtClient&) = delete;

  const PJRT_Api& api() const { return plugin_.api(); }
  const PjrtPlugin& plugin() const { return plugin_; }
  PJRT_Client* get() const { return client_; }
  // Those that this process may use.
  const std::vector<PJRT_Device*>& devices() const { return devices_; }
  const std::string& platform() const { return platform_; }

  // Calls `then` once, with how `event` ended, which it takes: on a thread of
  // the plugin, or on this one before it returns.
  void OnReady(PJRT_Event* event, std::function<void(const Status&)> then);

  // The program of an MLIR module, for any one device; compiled where it was
  // not before, and kept as long as the client.
  StatusOr<PJRT_LoadedExecutable*> Compile(const std::string& mlir);

  void Destroy(PJRT_Buffer* buffer) const;

 private:
  explicit PjrtClient(const PjrtPlugin& plugin) : plugin_(plugin) {}

  const PjrtPlugin& plugin_;
  PJRT_Client* client_ = nullptr;
  std::vector<PJRT_Device*> devices_;
  std::string platform_;
  const std::shared_ptr<UnderWay> events_ = std::make_shared<UnderWay>();

  std::mutex mutex_;
  std::map<std::string, PJRT_LoadedExecutable*> programs_;  // guarded by mutex_
};

}  // namespace penstock
