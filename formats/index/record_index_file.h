// Reads and writes the sidecar, whose layout is in record_index_layout.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/index/record_index_layout.h"
#include "formats/index/record_index_pages.h"

namespace penstock {

// A sidecar whose header and directory are verified. The views are of the
// pages, which are not.
struct RecordIndexParts {
  RecordIndexHeader header = {};
  std::vector<std::string> names;
  std::span<const uint64_t> offsets;
  std::span<const GzipMemberPlace> members;
  std::vector<std::span<const uint32_t>> lengths;
  std::unique_ptr<RecordIndexPages> pages;
};

// Takes an untrusted file apart. No number in it is believed before the bytes
// it speaks of are known to be there.
// Errors:  kDataLoss; kUnimplemented for another version.
StatusOr<RecordIndexParts> OpenRecordIndexFile(const ReadableFile& file);

}  // namespace penstock
