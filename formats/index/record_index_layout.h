// The bytes of the sidecar; docs/formats/record_index.md has the reasons.
//
//   0     8  "PSTKIDX1"
//   8     4  version, 2
//   12    4  what the entries are: 0 offsets, 1 gzip members
//   16    8  number of records, n
//   24    8  number of entries before the last, m: n, or that of the members
//   32    8  bytes of the records with their framing
//   40    8  size of the TFRecord file
//   48    8  its modification time, ns since the Unix epoch
//   56    4  CRC-32C of samples of the file (see file_sample.h)
//   60    4  number of length columns, c
//   64    8  bytes of the directory, d
//   72    4  CRC-32C of the directory
//   76    4  CRC-32C of bytes [0, 76)
//   80    d  the directory: for each column the bytes of its name (4) and its
//            name; zeros up to a multiple of 4; the CRC-32C of each page of the
//            data (4 each); zeros up to a multiple of 8
//   80+d     the data, in pages of 64 KiB, the last one shorter:
//            m + 1 offsets of record headers (8 each), the last one the end, or
//            m + 1 GzipMemberPlace (24 each), the last one the ends;
//            then n lengths (4 each) for each column
//
// All numbers little endian.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "formats/index/record_index.h"

namespace penstock {

static_assert(std::endian::native == std::endian::little);

inline constexpr char kRecordIndexMagic[8] = {'P', 'S', 'T', 'K',
                                              'I', 'D', 'X', '1'};
inline constexpr uint32_t kRecordIndexVersion = 2;
inline constexpr uint32_t kMostLengthColumns = 1024;
inline constexpr uint32_t kMostColumnNameBytes = 4096;
inline constexpr uint64_t kIndexPageBytes = 64 << 10;

struct RecordIndexHeader {
  char magic[8];
  uint32_t version;
  uint32_t layout;
  uint64_t records;
  uint64_t entries;
  uint64_t framed_bytes;
  uint64_t file_size_bytes;
  int64_t file_mtime_ns;
  uint32_t file_sample;
  uint32_t columns;
  uint64_t directory_bytes;
  uint32_t directory_checksum;
  uint32_t checksum;
};
static_assert(sizeof(RecordIndexHeader) == 80);
static_assert(sizeof(GzipMemberPlace) == 24);

inline constexpr uint64_t IndexPages(uint64_t data_bytes) {
  return (data_bytes + kIndexPageBytes - 1) / kIndexPageBytes;
}

}  // namespace penstock
