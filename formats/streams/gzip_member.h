// Gzip members that hold whole TFRecords and say so in their headers.
//
//   0    4  1f 8b 08 04: gzip, deflate, an extra field
//   4    6  no time, no flags, unknown system: 0 0 0 0 0 ff
//   10   2  bytes of the extra field, 32
//   12   2  "PS", the name of its one subfield
//   14   2  bytes of the subfield, 28
//   16   8  bytes of the member, this header and the trailer included
//   24   8  bytes of the records in it with their framing
//   32   8  number of records
//   40   4  CRC-32C of bytes [16, 40)
//   44      deflate data, and the trailer of gzip
//
// All numbers little endian. Other readers skip the extra field.
// Source:  RFC 1952, section 2.3.1.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "formats/files/status.h"

namespace penstock {

inline constexpr size_t kGzipMemberHeaderBytes = 44;

struct GzipMember {
  uint64_t size_bytes = 0;  // in the file
  uint64_t framed_bytes = 0;
  uint64_t records = 0;
};

// Replaces `out` by a member that holds the framed records `framed`.
// Cost:    that of MakeGzipCompressor.
Status PackGzipMember(std::string_view framed, uint64_t records,
                      std::string& out);

// What the first kGzipMemberHeaderBytes of a member say; nullopt where it is no
// member made by PackGzipMember, or its header is damaged.
std::optional<GzipMember> ReadGzipMemberHeader(std::string_view bytes);

// Replaces `framed` by what a whole member, `packed`, holds: `framed_bytes`
// long. It is reused without being filled with zeros again.
// Errors:  kDataLoss without a place: `corrupted gzip data`, `gzip CRC
//          mismatch`, or another length than was said.
Status UnpackGzipMember(std::string_view packed, uint64_t framed_bytes,
                        std::string& framed);

}  // namespace penstock
