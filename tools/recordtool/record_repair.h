// Saves what is good of a damaged TFRecord file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/records/record_reader.h"
#include "formats/records/recovery.h"
#include "tools/programs/progress.h"

namespace penstock {

struct RepairOptions {
  std::optional<Compression> compression = std::nullopt;  // by the name
  bool replace = false;  // an output that exists
};

struct Repair {
  uint64_t input_bytes = 0;  // as stored
  uint64_t records = 0;
  uint64_t record_bytes = 0;  // without framing
  std::vector<SkippedRegion> skipped;
  uint64_t skipped_bytes = 0;
};

// More bytes than a record in a file of this size can have: a repair leaves no
// record behind for its length.
uint64_t LargestRecordIn(uint64_t file_bytes, Compression compression);

// Copies each record of `input` whose two checksums are right to `output`, in
// order; that appears whole or not at all, wrapped as its name says.
//
// Errors:  kAlreadyExists for an output that is there and not to be replaced,
//          kInvalidArgument where it is the input,
//          kDataLoss where no record is good; those of reading and writing,
//          such as kResourceExhausted for a record larger than the memory.
StatusOr<Repair> RepairTfRecord(FileSystem& files, const std::string& input,
                                const std::string& output,
                                const RepairOptions& options,
                                Progress& progress);

}  // namespace penstock
