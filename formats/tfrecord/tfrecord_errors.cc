#include "formats/tfrecord/tfrecord_errors.h"

#include <fmt/format.h>

#include "formats/streams/file_signature.h"

namespace penstock {
namespace {

std::string OffsetText(const TfRecordPlace& place) {
  return fmt::format(
      "{}offset {}",
      place.compression == Compression::kNone ? "" : "uncompressed ",
      place.offset);
}

// OK unless the file is recognised as one of another type.
Status CheckType(const TfRecordPlace& place, std::string_view left) {
  const std::string_view type =
      place.offset == 0 ? LooksLike(left) : std::string_view();
  if (type.empty()) return OkStatus();
  const bool plain = place.compression == Compression::kNone;
  const std::string_view advice =
      plain && type.starts_with("gzip")   ? "read it with gzip compression"
      : plain && type.starts_with("zlib") ? "read it with zlib compression"
      : plain                             ? "it is no TFRecord file"
                                          : "there is no TFRecord in it";
  return InvalidArgumentError(
      fmt::format("{}: looks like {}; {}", place.path, type, advice));
}

}  // namespace

Status BadLengthChecksum(const TfRecordPlace& place,
                         const TfRecordHeader& header, std::string_view left) {
  if (Status type = CheckType(place, left); !type.ok()) return type;
  const bool zeros = header.length == 0 && header.stored_checksum == 0;
  const std::string_view hint =
      zeros ? "; these bytes are zero: a hole left by a crash, or not a "
              "TFRecord file?"
      : place.offset == 0 ? "; not a TFRecord file?"
                          : "";
  return DataLossError(fmt::format(
      "{}: corrupted length checksum at {} (stored 0x{:08x}, computed "
      "0x{:08x}), record #{}{}",
      place.path, OffsetText(place), header.stored_checksum,
      header.computed_checksum, place.record, hint));
}

Status BadDataChecksum(const TfRecordPlace& place, uint64_t length,
                       uint32_t stored, uint32_t computed) {
  return DataLossError(fmt::format(
      "{}: corrupted data checksum at {}, record #{}, length {} (stored "
      "0x{:08x}, computed 0x{:08x})",
      place.path, OffsetText(place), place.record, length, stored, computed));
}

Status TruncatedHeader(const TfRecordPlace& place, std::string_view left) {
  if (Status type = CheckType(place, left); !type.ok()) return type;
  return DataLossError(fmt::format(
      "{}: truncated record header at {}: {} of {} bytes ({} size {})",
      place.path, OffsetText(place), left.size(), kTfRecordHeaderBytes,
      place.compression == Compression::kNone ? "file" : "uncompressed",
      place.offset + left.size()));
}

Status TruncatedRecord(const TfRecordPlace& place, uint64_t length,
                       uint64_t remaining_bytes) {
  return DataLossError(fmt::format(
      "{}: truncated record at {}: record needs {} bytes, {} remain",
      place.path, OffsetText(place), length + kTfRecordFramingBytes,
      remaining_bytes));
}

Status CheckLength(const TfRecordPlace& place, uint64_t length,
                   uint64_t max_record_bytes,
                   std::optional<uint64_t> remaining_bytes) {
  const bool over = length > max_record_bytes;
  // The sum cannot overflow where the length is within the limit.
  if (remaining_bytes.has_value() && !over &&
      length + kTfRecordFramingBytes > *remaining_bytes) {
    return TruncatedRecord(place, length, *remaining_bytes);
  }
  if (remaining_bytes.has_value() &&
      length > *remaining_bytes - kTfRecordHeaderBytes) {
    return DataLossError(fmt::format(
        "{}: record length {} at {} exceeds remaining {} bytes", place.path,
        length, OffsetText(place), *remaining_bytes - kTfRecordHeaderBytes));
  }
  if (!over) return OkStatus();
  return ResourceExhaustedError(fmt::format(
      "{}: record of {} bytes at {} is over max_record_bytes, which is {}",
      place.path, length, OffsetText(place), max_record_bytes));
}

}  // namespace penstock
