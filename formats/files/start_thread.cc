#include "formats/files/start_thread.h"

#include <fmt/format.h>

namespace penstock {

Status NoThread(const std::error_code& why) {
  return GuardMemory(Status(StatusCode::kResourceExhausted, ""), [&] {
    return ResourceExhaustedError(
        fmt::format("no thread can be started: {}; the system is out of them, "
                    "or of memory for their stacks: ask for fewer threads or "
                    "raise the limits (ulimit -u, ulimit -v)",
                    why.message()));
  });
}

}  // namespace penstock
