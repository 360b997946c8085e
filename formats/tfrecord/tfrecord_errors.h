// What is said about a damaged TFRecord file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "formats/files/status.h"
#include "formats/records/record_reader.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {

// Where in which file the defect is.
struct TfRecordPlace {
  std::string_view path;
  uint64_t offset = 0;  // of the record's header
  uint64_t record = 0;  // its number
  Compression compression = Compression::kNone;
};

// `left` is what the file has from the header on, up to 64 bytes of it.
Status BadLengthChecksum(const TfRecordPlace& place,
                         const TfRecordHeader& header, std::string_view left);
Status BadDataChecksum(const TfRecordPlace& place, uint64_t length,
                       uint32_t stored, uint32_t computed);
Status TruncatedHeader(const TfRecordPlace& place, std::string_view left);
// `remaining_bytes` are those of the file from the header on.
Status TruncatedRecord(const TfRecordPlace& place, uint64_t length,
                       uint64_t remaining_bytes);

// OK for a length that fits both limits; otherwise what is wrong with it.
// `remaining_bytes` is unknown in a compressed file.
Status CheckLength(const TfRecordPlace& place, uint64_t length,
                   uint64_t max_record_bytes,
                   std::optional<uint64_t> remaining_bytes);

}  // namespace penstock
