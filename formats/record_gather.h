// Reads chosen records of several files with few, large reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "formats/open_file_cache.h"
#include "formats/record_files.h"

namespace penstock {

struct WantedRecord {
  uint64_t id = 0;
  size_t slot = 0;  // where it goes in GatheredRecords::records
  size_t file = 0;
  uint64_t number = 0;  // in the file
  uint64_t offset = 0;  // of its header
  uint64_t size_bytes = 0;
  size_t place = 0;  // of its header in GatheredRecords::bytes, set here
};

// `wanted` is sorted by id, hence by file and offset; an id may be there more
// than once. `open` holds every file named.
absl::Status GatherRecords(OpenFileCache& open, std::span<WantedRecord> wanted,
                           GatheredRecords& out);

}  // namespace penstock
