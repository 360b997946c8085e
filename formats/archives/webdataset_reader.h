// Reads one component of each sample of a WebDataset tar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "formats/archives/archive_options.h"
#include "formats/files/callback.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/records/record_reader.h"

namespace penstock {

struct WebDatasetReadOptions {
  ArchiveOptions archive;
  // The component that is the record: what follows the first dot of a member's
  // base name, in any case. "a/7.seg.PNG" is component "seg.png" of "a/7".
  std::string extension = "txt";
  // Which members there are, by their names; null takes all.
  Callback<bool(std::string_view)> wants_member = nullptr;
  // About the size of a block.
  size_t block_bytes = 1 << 20;
  uint64_t max_record_bytes = 1ull << 30;
};

// A sample is a run of members with one key. A record is delivered when its
// sample is complete; it is located as "x.tar!a/7.txt". Members without a dot,
// those whose base name starts with one, and "__name__" ones belong to no
// sample: they are told to `archive.on_skipped`, as WebDataset leaves them out.
// Errors:  those of ArchiveMembers; kInvalidArgument for a sample without the
//          component; kDataLoss for a key that comes again after its sample
//          was complete, and for a component that comes twice.
// Memory:  16 bytes per sample, to find keys that come again: samples of 1e9
//          members take 16 GB, so make shards.
StatusOr<std::unique_ptr<RecordReader>> OpenWebDataset(
    FileSystem& files, const std::string& path,
    WebDatasetReadOptions options = {});

}  // namespace penstock
