// Runs of right records in a part of a TFRecord file, found without knowing
// what lies before it: so parts of one file are checked side by side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/records/record_chain.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {

// Records that follow each other in [begin, end) of a file, with both checksums
// right. A reader in sequence that finds a record to begin at `begin` finds
// these and no others up to `end`.
struct RecordSpan {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t records = 0;
  RecordChain chain = {};  // where asked for

  uint64_t record_bytes() const {
    return end - begin - records * kTfRecordFramingBytes;
  }
};

struct SpanOptions {
  bool chain = false;  // also RecordSpan::chain, 2 ns a record
};

// The spans of an uncompressed file whose records begin in [begin, end), in
// order; the last may reach beyond. What looks like a record may lie inside
// another one, so a span counts only once a reader in sequence gets to its
// begin. What cannot be read or is damaged is left out without a word: that
// reader will tell of it.
//
// Threads: any number at a time.
// Cost:    one pass over the part; memory for its largest record.
std::vector<RecordSpan> FindRecordSpans(FileSystem& files,
                                        const std::string& path, uint64_t begin,
                                        uint64_t end, SpanOptions options = {});

}  // namespace penstock
