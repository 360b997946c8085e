// The bytes of a whole file at an address.
#pragma once

#include <memory>
#include <string_view>

#include "formats/files/file.h"
#include "formats/files/posix_calls.h"
#include "formats/files/status_or.h"

namespace penstock {

// Maps `size_bytes` of `fd`, which may be closed then, from `offset` on. Null
// where the system cannot map it, or there is nothing to map.
std::unique_ptr<FileBytes> MapFile(PosixCalls& calls, int fd, uint64_t offset,
                                   size_t size_bytes);

// The whole file: mapped, or read into memory where that cannot be. It is to be
// looked at all over: what of it the system has not in memory comes in huge
// pages where it has such for files.
// Errors:  those of ReadAt and Stat; kResourceExhausted.
StatusOr<std::unique_ptr<FileBytes>> MapOrCopy(const ReadableFile& file);

}  // namespace penstock
