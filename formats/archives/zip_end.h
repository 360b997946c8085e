// Finds the directory of a zip from the record at the file's end.
#pragma once

#include <cstdint>
#include <string>

#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {

// Where a zip's directory lies.
struct ZipDirectoryPlace {
  uint64_t begin = 0;
  uint64_t size_bytes = 0;
  uint64_t entries = 0;
};

// Errors:  kInvalidArgument for no zip; kDataLoss where the end record is cut
//          off or disagrees with the file's size; kUnimplemented for several
//          disks.
StatusOr<ZipDirectoryPlace> FindZipDirectory(const ReadableFile& file,
                                             uint64_t file_bytes);

// `size` bytes from `offset`.
// Errors:  kDataLoss where a zip points past its end.
StatusOr<std::string> ReadZipBytes(const ReadableFile& file,
                                   uint64_t file_bytes, uint64_t offset,
                                   uint64_t size);

}  // namespace penstock
