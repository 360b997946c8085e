#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "formats/index/record_gather.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

// Far enough ahead for memory to answer, little enough for the nearest cache.
constexpr size_t kRecordsAhead = 8;
constexpr size_t kMostFetchedBytes = 4 << 10;
constexpr size_t kLineBytes = 64;

uint64_t FramedBytes(const WantedRecord& record) {
  return record.size_bytes + kTfRecordFramingBytes;
}

void Prefetch(const char* from, uint64_t size) {
  for (size_t at = 0; at < std::min<uint64_t>(size, kMostFetchedBytes);
       at += kLineBytes) {
    __builtin_prefetch(from + at);
  }
}

bool IsRight(const WantedRecord& record, const char* at) {
  const TfRecordHeader header = LoadTfRecordHeader(at);
  const std::string_view data(at + kTfRecordHeaderBytes, record.size_bytes);
  return header.valid() && header.length == record.size_bytes &&
         LoadChecksum(data.data() + data.size()) == MaskCrc32c(Crc32c(data));
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
    if (from[i] != nullptr) most += size;
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
      std::memcpy(to, from[i], FramedBytes(record));
      // Proven on the copy, which nobody changes any more.
      if (IsRight(record, to)) {
        record.place = end + kTfRecordHeaderBytes;
        end += FramedBytes(record);
        continue;
      }
    }
    std::swap(wanted[others++], record);
  }
  return others;
}

}  // namespace penstock
