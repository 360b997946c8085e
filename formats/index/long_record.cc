#include "formats/index/long_record.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/files/crc32c.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

// Read by one call, and still in a near cache when its checksum is taken.
constexpr size_t kReadBytes = 128 << 10;

}  // namespace

bool LongRecord::Begin(uint64_t size_bytes) {
  char bytes[kTfRecordHeaderBytes];
  if (!Read(bytes)) return false;
  const TfRecordHeader header = LoadTfRecordHeader(bytes);
  return header.valid() && header.length == size_bytes;
}

bool LongRecord::Take(std::span<char> to) {
  if (mapped_ != nullptr) {
    crc_ = StreamAndCrc32c(crc_, mapped_, to.size(), to.data());
    mapped_ += to.size();
    return true;
  }
  while (!to.empty()) {
    const auto part = to.first(std::min(to.size(), kReadBytes));
    if (!Read(part)) return false;
    crc_ = ExtendCrc32c(crc_, {part.data(), part.size()});
    to = to.subspan(part.size());
  }
  return true;
}

bool LongRecord::Finish() {
  char bytes[kTfRecordFooterBytes];
  return Read(bytes) && LoadChecksum(bytes) == MaskCrc32c(crc_);
}

bool LongRecord::Read(std::span<char> to) {
  if (mapped_ != nullptr) {
    std::memcpy(to.data(), mapped_, to.size());
    mapped_ += to.size();
    return true;
  }
  const uint64_t at = offset_;
  offset_ += to.size();
  const size_t got = file_->ReadCached(at, to);
  if (got == to.size()) return true;
  if (awaits_ != nullptr) (*std::exchange(awaits_, nullptr))();
  const StatusOr<size_t> more = file_->ReadAt(at + got, to.subspan(got));
  return more.ok() && got + *more == to.size();
}

}  // namespace penstock
