#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "formats/files/crc32c.h"
#include "formats/index/record_gather.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

// Far enough ahead for memory to answer, little enough for the nearest cache.
constexpr size_t kRecordsAhead = 16;
constexpr uint64_t kMostFetchedBytes = 4 << 10;
constexpr uint64_t kLineBytes = 64;

uint64_t FramedBytes(const WantedRecord& record) {
  return record.size_bytes + kTfRecordFramingBytes;
}

void Prefetch(const char* from, uint64_t size) {
  const uint64_t before = reinterpret_cast<uintptr_t>(from) % kLineBytes;
  size = std::min(size + before, kMostFetchedBytes);
  for (uint64_t at = 0; at < size; at += kLineBytes) {
    __builtin_prefetch(from - before + at, 0, 2);
  }
}

// Copies the bytes of a record of a mapped file, which may be changed by others
// meanwhile: each byte is read once, and what was written is proven.
bool CopyProven(const WantedRecord& record, const char* from, char* to) {
  const TfRecordHeader header = LoadTfRecordHeader(from);
  if (!header.valid() || header.length != record.size_bytes) return false;
  from += kTfRecordHeaderBytes;
  const uint32_t crc = CopyAndCrc32c(from, record.size_bytes, to);
  return LoadChecksum(from + record.size_bytes) == MaskCrc32c(crc);
}

}  // namespace

size_t CopyWarmRecords(const WarmFiles& warm, std::span<WantedRecord> wanted,
                       std::vector<char>& bytes, size_t& end) {
  std::vector<const char*> from(wanted.size());
  uint64_t most = end;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const uint64_t size = FramedBytes(wanted[i]);
    from[i] =
        warm.Find(wanted[i].file, wanted[i].offset, wanted[i].offset + size);
    if (from[i] == nullptr) continue;
    most += wanted[i].size_bytes;
    if (i < kRecordsAhead) Prefetch(from[i], size);
  }
  if (bytes.size() < most) bytes.resize(most);
  size_t others = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const size_t ahead = i + kRecordsAhead;
    if (ahead < wanted.size() && from[ahead] != nullptr) {
      Prefetch(from[ahead], FramedBytes(wanted[ahead]));
    }
    WantedRecord& record = wanted[i];
    if (from[i] != nullptr) {
      char* const to = bytes.data() + end;
      if (CopyProven(record, from[i], to)) {
        record.place = end;
        end += record.size_bytes;
        continue;
      }
    }
    std::swap(wanted[others++], record);
  }
  return others;
}

}  // namespace penstock
