// TFRecord files of many gzip members, compressed side by side.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "formats/atomic_file.h"
#include "formats/tfrecord_sink.h"
#include "formats/tfrecord_writer.h"

namespace penstock {

// Writes to `file`, which must outlive it. The layout of the members is in
// formats/gzip_member.h. A task whose memory ends gives `no_memory`.
std::unique_ptr<TfRecordSink> MakeGzipTfRecordSink(AtomicFile& file,
                                                   GzipMembers members,
                                                   absl::Status no_memory);

}  // namespace penstock
