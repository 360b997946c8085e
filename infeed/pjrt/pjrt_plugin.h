// A PJRT plugin: a shared object that speaks for one kind of device.
#pragma once

#include <pjrt_c_api.h>

#include <string>

#include "formats/files/status_or.h"

namespace penstock {

// Immutable once made.
//
// Source:  pjrt_c_api.h of openxla/xla.
class PjrtPlugin {
 public:
  // Loads and initialises it; the same file gives the same plugin again. It
  // stays loaded until the process ends, as plugins expect.
  // Errors:  kNotFound; kInvalidArgument for a file that is no plugin; those
  //          of Of() and of the plugin.
  static StatusOr<const PjrtPlugin*> Load(const std::string& path);

  // A plugin by its functions; `name` goes before messages.
  // Errors:  kFailedPrecondition for another major version, or one that is too
  //          old to have all functions that are called here.
  static StatusOr<PjrtPlugin> Of(const PJRT_Api* api, std::string name);

  // Functions that the plugin is too old for are null.
  const PJRT_Api& api() const { return api_; }
  const std::string& name() const { return name_; }
  // "0.81".
  std::string version() const;

  // With the plugin's code and words; takes the error, which may be null.
  Status ToStatus(PJRT_Error* error) const;

 private:
  void Destroy(PJRT_Error* error) const;

  PJRT_Api api_ = {};
  std::string name_;
};

}  // namespace penstock
