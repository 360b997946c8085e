// The 16 bytes around each record. docs/formats/tfrecord.md has the reasons.
//
//   0      8  length of the data, little endian
//   8      4  masked CRC-32C of those 8 bytes, little endian
//   12     n  data
//   12+n   4  masked CRC-32C of the data, little endian
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "formats/files/crc32c.h"

namespace penstock {

static_assert(std::endian::native == std::endian::little,
              "the framing is little endian");

inline constexpr uint64_t kTfRecordHeaderBytes = 12;
inline constexpr uint64_t kTfRecordFooterBytes = 4;
inline constexpr uint64_t kTfRecordFramingBytes = 16;

struct TfRecordHeader {
  uint64_t length;
  uint32_t stored_checksum;
  uint32_t computed_checksum;

  bool valid() const { return stored_checksum == computed_checksum; }
};

inline uint32_t LoadChecksum(const char* at) {
  uint32_t value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

// Looks at the kTfRecordHeaderBytes from `at`, at each once.
inline TfRecordHeader LoadTfRecordHeader(const char* at) {
  TfRecordHeader header;
  std::memcpy(&header.length, at, sizeof(header.length));
  header.stored_checksum = LoadChecksum(at + sizeof(header.length));
  header.computed_checksum = MaskCrc32c(Crc32c(
      {reinterpret_cast<const char*>(&header.length), sizeof(header.length)}));
  return header;
}

inline void StoreTfRecordHeader(uint64_t length, char* to) {
  std::memcpy(to, &length, sizeof(length));
  const uint32_t checksum =
      MaskCrc32c(Crc32c(std::string_view(to, sizeof(length))));
  std::memcpy(to + sizeof(length), &checksum, sizeof(checksum));
}

inline void StoreTfRecordFooter(std::string_view record, char* to) {
  const uint32_t checksum = MaskCrc32c(Crc32c(record));
  std::memcpy(to, &checksum, sizeof(checksum));
}

// Appends the record with its framing.
inline void AppendTfRecord(std::string_view record, std::string& out) {
  char framing[kTfRecordHeaderBytes];
  StoreTfRecordHeader(record.size(), framing);
  out.append(framing, kTfRecordHeaderBytes).append(record);
  StoreTfRecordFooter(record, framing);
  out.append(framing, kTfRecordFooterBytes);
}

}  // namespace penstock
