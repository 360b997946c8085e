// What a TFRecord writer makes of records on their way to a file.
//
// Implementations form a star around this header: one in tfrecord_writer.cc,
// one in gzip_tfrecord_writer.cc.
#pragma once

#include <string_view>

#include "formats/files/status.h"

namespace penstock {

// After an error, or where memory ends, nothing is asked of it any more.
//
// Threads: one at a time.
class TfRecordSink {
 public:
  virtual ~TfRecordSink() = default;

  virtual Status Append(std::string_view record) = 0;
  // Puts the rest into the file.
  virtual Status Finish() = 0;
};

}  // namespace penstock
