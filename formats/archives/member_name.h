// Names of files inside archives, as keys: nothing is ever written under them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/files/status_or.h"

namespace penstock {

// `name` without "./", "//" and "/./", so that one file has one name.
// Errors:  kInvalidArgument for a name that is empty, absolute, has a ".."
//          part, a drive letter or control bytes, or is not UTF-8;
//          kResourceExhausted over `max_bytes`. They do not name the archive.
StatusOr<std::string> NormalMemberName(std::string_view name,
                                       uint64_t max_bytes);

}  // namespace penstock
