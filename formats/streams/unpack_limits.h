// How much a small file may unpack to.
#pragma once

#include <cstdint>

namespace penstock {

// Guards against files made to fill memory or run for years. Over a limit is
// kResourceExhausted.
struct UnpackLimits {
  // Bytes unpacked from one file.
  uint64_t max_total_bytes = 1ull << 40;
  // Bytes unpacked per byte of the file, once more than 16 MiB came out. gzip
  // cannot exceed 1032; only zstd, xz and bzip2 of bytes that repeat can.
  uint64_t max_ratio = 2000;
};

}  // namespace penstock
