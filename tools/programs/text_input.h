// Texts out of a file or, for "-", the standard input.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "formats/files/status.h"

namespace penstock {

using Document = std::function<Status(std::string_view)>;

// Calls `each` with what stands before each `separator`, and with the rest
// unless that is empty. Holds one document at a time.
Status ReadSeparated(const std::string& path, char separator,
                     const Document& each);

Status ReadWhole(const std::string& path, const Document& each);

}  // namespace penstock
