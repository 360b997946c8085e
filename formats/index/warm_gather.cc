#include <algorithm>
#include <cstdint>
#include <string_view>

#include "formats/files/crc32c.h"
#include "formats/index/record_gather.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

// Far enough ahead for memory to answer, little enough for the nearest cache;
// so many at once that the processor looks for their pages side by side.
constexpr size_t kRecordsAhead = 16;
constexpr size_t kRecordsAtOnce = 8;
constexpr uint64_t kMostFetchedBytes = 4 << 10;
constexpr uint64_t kLineBytes = 64;

void Prefetch(std::string_view bytes) {
  const uint64_t before =
      reinterpret_cast<uintptr_t>(bytes.data()) % kLineBytes;
  const uint64_t size = std::min(bytes.size() + before, kMostFetchedBytes);
  for (uint64_t at = 0; at < size; at += kLineBytes) {
    __builtin_prefetch(bytes.data() - before + at, 0, 2);
  }
}

// Copies the data of a framed record of a mapped file, which may be changed by
// others meanwhile: each byte is read once, and what was written is proven.
bool CopyProven(std::string_view framed, char* to) {
  const TfRecordHeader header = LoadTfRecordHeader(framed.data());
  const uint64_t size = framed.size() - kTfRecordFramingBytes;
  if (!header.valid() || header.length != size) return false;
  const char* const from = framed.data() + kTfRecordHeaderBytes;
  const uint32_t crc = CopyAndCrc32c(from, size, to);
  return LoadChecksum(from + size) == MaskCrc32c(crc);
}

}  // namespace

size_t CopyWarmRecords(std::span<std::string_view> records,
                       std::vector<char>& bytes) {
  size_t most = 1;  // so that no record, empty or not, is copied to null
  for (const std::string_view framed : records) {
    if (framed.data() != nullptr) most += framed.size() - kTfRecordFramingBytes;
  }
  if (bytes.size() < most) bytes.resize(most);
  size_t asked = 0;
  size_t end = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    if (i % kRecordsAtOnce == 0) {
      const size_t end_asked = std::min(records.size(), i + kRecordsAhead);
      for (; asked < end_asked; ++asked) Prefetch(records[asked]);
    }
    std::string_view& record = records[i];
    if (record.data() == nullptr) continue;
    char* const to = bytes.data() + end;
    if (CopyProven(record, to)) {
      record = {to, record.size() - kTfRecordFramingBytes};
      end += record.size();
    } else {
      record = {};
    }
  }
  return end;
}

}  // namespace penstock
