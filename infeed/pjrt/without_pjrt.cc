#include "infeed/pjrt/pjrt_devices.h"

namespace penstock {

StatusOr<PjrtDevices> OpenPjrt(const std::string& plugin, PjrtOptions options) {
  return UnimplementedError(
      "this Penstock was built without PJRT, so devices are simulated: run "
      "tools/setup --pjrt and configure with -DPENSTOCK_PJRT=ON");
}

bool HasPjrt() { return false; }

}  // namespace penstock
