// Reads chosen records of several files with few, large reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/open_file_cache.h"
#include "formats/files/status.h"
#include "formats/index/record_index.h"
#include "formats/index/warm_files.h"

namespace penstock {

// Memory that gathering from members leaves for the next time.
struct MemberBuffers {
  std::string packed;
  std::string framed;
};

// Records gathered by number, in the order asked for. Reuse one to reuse its
// memory; the views live until it is filled again.
struct GatheredRecords {
  std::vector<std::string_view> records;
  std::vector<char> bytes;  // what they are views of
  std::string joined;       // the same, for whoever puts records together
  MemberBuffers buffers;    // used while gathering
};

// Where a record is.
struct FoundRecord {
  uint64_t id = 0;
  size_t file = 0;
  uint64_t number = 0;  // in the file
  RecordPlace place;    // not in gzip members
};

// What gathering some records takes.
struct GatherBound {
  size_t records = 0;
  // Their sizes together; of gzip members, the sizes of those that they lie in.
  uint64_t bytes = 0;
};

struct WantedRecord {
  size_t slot = 0;  // where it goes in what was asked for
  size_t file = 0;
  uint64_t number = 0;  // in the file
  uint64_t offset = 0;  // of its header; not used in members
  uint64_t size_bytes = 0;
  size_t place = 0;  // of its data in the bytes gathered
};

// Copies records that are mapped, framed as they are in their files, to the
// beginning of `bytes`, one behind the other, and makes them views of what was
// copied; `bytes` never gets smaller. Null ones are left alone; one that is not
// right becomes null: reading it tells what is wrong. Returns where the last
// one ends.
size_t CopyWarmRecords(std::span<std::string_view> records,
                       std::vector<char>& bytes);

// `wanted` is sorted by file and number; a record may be there more than once.
// `open` holds every file named. Both put the records behind what `bytes` has
// up to `end`, move `end` behind them and never make `bytes` smaller: growing
// again would fill it with zeros again.

// From plain files, near neighbours read at once; `warm` is told of them.
// Errors:  kDataLoss, kFailedPrecondition where a file changed.
Status GatherRecords(OpenFileCache& open, WarmFiles& warm,
                     std::span<WantedRecord> wanted, std::vector<char>& bytes,
                     size_t& end);

// From files of gzip members; a member is read and inflated once.
Status GatherFromMembers(OpenFileCache& open,
                         std::span<const RecordIndex> indexes,
                         std::span<WantedRecord> wanted, MemberBuffers& buffers,
                         std::vector<char>& bytes, size_t& end);

}  // namespace penstock
