#include "formats/tfrecord/tfrecord_search.h"

#include <algorithm>

#include "formats/files/status_or.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

// Each header that turns out to begin no record may cost a look at the whole of
// what it claims. By chance there are none; a file made to be slow gets this
// many, and then only short ones.
constexpr int kMostWrongHeaders = 64;
constexpr uint64_t kShortRecordBytes = 64 << 10;

// The stored checksum of the length 0, which holes are full of.
constexpr uint32_t kChecksumOfZero = 0x07980329;

}  // namespace

size_t FindTfRecordHeader(std::string_view bytes, uint64_t max_length) {
  if (bytes.size() < kTfRecordHeaderBytes) return 0;
  const size_t places = bytes.size() - kTfRecordHeaderBytes + 1;
  for (size_t place = 0; place < places; ++place) {
    const char* const at = bytes.data() + place;
    uint64_t length;
    std::memcpy(&length, at, sizeof(length));
    if (length > max_length) continue;
    const bool right = length == 0 ? LoadChecksum(at + 8) == kChecksumOfZero
                                   : LoadTfRecordHeader(at).valid();
    if (right) return place;
  }
  return places;
}

Status TfRecordSearch::FindNext(StreamWindow& window, uint64_t limit) {
  while (true) {
    window.Consume(
        FindTfRecordHeader(window.bytes(), LongestLookedFor(window)));
    if (window.offset() >= limit) return OkStatus();
    if (window.bytes().size() < kTfRecordHeaderBytes) {
      PENSTOCK_ASSIGN_OR_RETURN(const bool more,
                                window.ReadMore(kTfRecordHeaderBytes));
      if (more) continue;
      window.Consume(window.bytes().size());
      return OkStatus();
    }
    PENSTOCK_ASSIGN_OR_RETURN(const bool begins, RecordBegins(window));
    if (begins) return OkStatus();
    ++wrong_headers_;
    window.Consume(1);
  }
}

StatusOr<bool> TfRecordSearch::RecordBegins(StreamWindow& window) {
  const uint64_t length = LoadTfRecordHeader(window.bytes().data()).length;
  const size_t end = length + kTfRecordFramingBytes;
  const size_t wanted = end + kTfRecordHeaderBytes;
  while (window.bytes().size() < wanted) {
    PENSTOCK_ASSIGN_OR_RETURN(const bool more, window.ReadMore(wanted));
    if (!more) break;
  }
  const std::string_view bytes = window.bytes();
  if (bytes.size() <= end) return bytes.size() == end;
  if (bytes.size() >= wanted &&
      LoadTfRecordHeader(bytes.data() + end).valid()) {
    return true;
  }
  const std::string_view data = bytes.substr(kTfRecordHeaderBytes, length);
  return MaskCrc32c(Crc32c(data)) == LoadChecksum(data.data() + length);
}

uint64_t TfRecordSearch::LongestLookedFor(const StreamWindow& window) const {
  uint64_t longest = max_record_bytes_;
  if (wrong_headers_ >= kMostWrongHeaders) {
    longest = std::min(longest, kShortRecordBytes);
  }
  const auto remaining = window.remaining_bytes();
  if (!remaining.has_value()) return longest;
  return *remaining < kTfRecordFramingBytes
             ? 0
             : std::min(longest, *remaining - kTfRecordFramingBytes);
}

}  // namespace penstock
