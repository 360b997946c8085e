// The sidecar of a file whose places and lengths are not all held in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/function_ref.h"
#include "formats/files/status_or.h"
#include "formats/index/record_index.h"

namespace penstock {

// Values in order, a piece at a time; asked for twice, and the same each time.
template <typename T>
using ValuePieces =
    std::function<Status(FunctionRef<Status(std::span<const T>)> take)>;

struct StreamedLengths {
  std::string name;
  ValuePieces<uint32_t> lengths;
};

// What RecordIndex would be made from.
struct StreamedIndex {
  uint64_t records = 0;
  // Of the record headers; without it, of a gzip file, there are `members`.
  ValuePieces<uint64_t> offsets;
  std::vector<GzipMemberPlace> members;  // the last is where one more would be
  std::vector<StreamedLengths> columns;
  FileInfo file;
};

// Writes the sidecar of `path`, the bytes that RecordIndex::Save() writes.
// Memory:  4 bytes for each 64 KiB of the sidecar, and the largest piece.
// Errors:  as RecordIndex::Save(), and those of the pieces.
Status SaveRecordIndex(FileSystem& files, const std::string& path,
                       const StreamedIndex& index);

}  // namespace penstock
