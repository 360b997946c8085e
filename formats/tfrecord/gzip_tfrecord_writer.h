// TFRecord files of many gzip members, compressed side by side.
#pragma once

#include <memory>
#include <string>

#include "formats/files/atomic_file.h"
#include "formats/files/status.h"
#include "formats/tfrecord/tfrecord_sink.h"
#include "formats/tfrecord/tfrecord_writer.h"

namespace penstock {

// Writes to `file`, which must outlive it. The layout of the members is in
// formats/streams/gzip_member.h. A task whose memory ends gives `no_memory`.
std::unique_ptr<TfRecordSink> MakeGzipTfRecordSink(AtomicFile& file,
                                                   GzipMembers members,
                                                   Status no_memory);

}  // namespace penstock
