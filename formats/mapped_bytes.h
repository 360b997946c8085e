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

// Reads the whole file into memory.
absl::StatusOr<std::unique_ptr<FileBytes>> CopyFile(const ReadableFile& file);

}  // namespace penstock
