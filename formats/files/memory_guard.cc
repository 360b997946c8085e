#include "formats/files/memory_guard.h"

#include <fmt/format.h>

namespace penstock {

Status NoMemory(std::string_view what, std::string_view to_do) {
  return GuardMemory(Status(StatusCode::kResourceExhausted, ""), [&] {
    return ResourceExhaustedError(
        fmt::format("{}: not enough memory to {}", what, to_do));
  });
}

}  // namespace penstock
