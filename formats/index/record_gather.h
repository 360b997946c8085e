// Reads chosen records of several files with few, large reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/files/open_file_cache.h"
#include "formats/files/status.h"
#include "formats/index/record_index.h"
#include "formats/index/warm_files.h"

namespace penstock {

struct WantedRecord {
  size_t slot = 0;  // where it goes in what was asked for
  size_t file = 0;
  uint64_t number = 0;  // in the file
  uint64_t offset = 0;  // of its header; not used in members
  uint64_t size_bytes = 0;
  size_t place = 0;  // of its data in the bytes gathered
};

// `wanted` is sorted by file and number; a record may be there more than once.
// `open` holds every file named. All put the records behind what `bytes` has up
// to `end`, move `end` behind them and never make `bytes` smaller: growing
// again would fill it with zeros again.

// Those that `warm` has, from plain files. Moves the others to the front of
// `wanted`, still sorted, and returns how many they are. One that is not right
// is among them: reading it again tells what is wrong.
size_t CopyWarmRecords(const WarmFiles& warm, std::span<WantedRecord> wanted,
                       std::vector<char>& bytes, size_t& end);

// From plain files, near neighbours read at once; `warm` is told of them.
// Errors:  kDataLoss, kFailedPrecondition where a file changed.
Status GatherRecords(OpenFileCache& open, WarmFiles& warm,
                     std::span<WantedRecord> wanted, std::vector<char>& bytes,
                     size_t& end);

// Memory that gathering from members leaves for the next time.
struct MemberBuffers {
  std::string packed;
  std::string framed;
};

// From files of gzip members; a member is read and inflated once.
Status GatherFromMembers(OpenFileCache& open,
                         std::span<const RecordIndex> indexes,
                         std::span<WantedRecord> wanted, MemberBuffers& buffers,
                         std::vector<char>& bytes, size_t& end);

}  // namespace penstock
