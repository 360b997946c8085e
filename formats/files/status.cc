#include "formats/files/status.h"

#include <fmt/format.h>

#include <string>

namespace penstock {

absl::Status Annotate(const absl::Status& status, std::string_view context) {
  if (status.ok()) return status;
  const std::string_view message(status.message().data(),
                                 status.message().size());
  return absl::Status(status.code(), fmt::format("{}: {}", context, message));
}

}  // namespace penstock
