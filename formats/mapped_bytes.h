// The bytes of a whole file at an address.
#pragma once

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "formats/file.h"
#include "formats/posix_calls.h"

namespace penstock {

// Maps the first `size_bytes` of `fd`, which may be closed then. Null where the
// system cannot map it, or there is nothing to map.
std::unique_ptr<FileBytes> MapFile(PosixCalls& calls, int fd,
                                   size_t size_bytes);

// The whole file: mapped, or read into memory where that cannot be.
// Errors:  those of ReadAt and Stat; kResourceExhausted.
absl::StatusOr<std::unique_ptr<FileBytes>> MapOrCopy(const ReadableFile& file);

}  // namespace penstock
