// TFRecord files of many gzip members, compressed side by side.
#pragma once

#include <memory>
#include <string>

#include "formats/atomic_file.h"
#include "formats/tfrecord_writer.h"

namespace penstock {

// Writes to `file`, which is for `path`. The layout of the members is in
// formats/gzip_member.h.
std::unique_ptr<TfRecordWriter> MakeGzipTfRecordWriter(
    std::string path, std::unique_ptr<AtomicFile> file, GzipMembers members);

}  // namespace penstock
