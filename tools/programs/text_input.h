// Texts out of a file or, for "-", the standard input.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace penstock {

using Document = std::function<absl::Status(std::string_view)>;

// Calls `each` with what stands before each `separator`, and with the rest
// unless that is empty. Holds one document at a time.
absl::Status ReadSeparated(const std::string& path, char separator,
                           const Document& each);

absl::Status ReadWhole(const std::string& path, const Document& each);

}  // namespace penstock
