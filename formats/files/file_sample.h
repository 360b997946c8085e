// Checksums of parts of a file, by which another file is told from it, and of
// all of it.
#pragma once

#include <cstdint>

#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {

// CRC-32C of 16 pieces of 4 KiB, evenly spread from the first byte to the last,
// or of the whole of a file of at most 64 KiB. Pieces may overlap.
// Errors:  those of ReadAt; kFailedPrecondition where the file is shorter.
StatusOr<uint32_t> SampleFile(const ReadableFile& file, uint64_t size_bytes);

// CRC-32C of the first `size_bytes`, all of them. Errors:  as SampleFile().
StatusOr<uint32_t> ChecksumOfFile(const ReadableFile& file,
                                  uint64_t size_bytes);

}  // namespace penstock
