// Finds records behind damage. docs/formats/tfrecord.md says how surely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "formats/files/status_or.h"
#include "formats/streams/stream_window.h"

namespace penstock {

// The first place in `bytes` where a header with a right checksum stands whose
// length is at most `max_length`; where there is none, the first place that is
// too near the end to tell.
//
// Cost:    2 to 4 GB/s; 0.5 in arrays of 8-byte integers, which all could be
//          lengths.
size_t FindTfRecordHeader(std::string_view bytes, uint64_t max_length);

// Searches one file.
//
// Threads: one at a time.
class TfRecordSearch {
 public:
  explicit TfRecordSearch(uint64_t max_record_bytes)
      : max_record_bytes_(max_record_bytes) {}

  // Moves `window` to the next place where a record begins, to its end, or to
  // a place from `limit` on where it found none before that. A header with a
  // right checksum begins one if the record ends where the file does or where
  // another such header begins, or if its data is right.
  //
  // Cost:    linear in the bytes passed; the window holds one record at most.
  // Errors:  those of the stream.
  Status FindNext(StreamWindow& window,
                  uint64_t limit = std::numeric_limits<uint64_t>::max());

 private:
  StatusOr<bool> RecordBegins(StreamWindow& window);
  uint64_t LongestLookedFor(const StreamWindow& window) const;

  const uint64_t max_record_bytes_;
  int wrong_headers_ = 0;
};

}  // namespace penstock
