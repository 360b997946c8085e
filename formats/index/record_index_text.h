// The text form of an index that tfrecord2idx writes and DALI reads: for each
// record a line with the offset of its header and its size with framing.
#pragma once

#include <string>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/index/record_index.h"
#include "formats/index/record_index_build.h"

namespace penstock {

// Writes it at `text_path`, atomically.
// Errors:  kInvalidArgument for an index of gzip members, which the form cannot
//          tell; those of RecordIndex::Find and of AtomicFile.
Status WriteIndexText(FileSystem& files, const std::string& text_path,
                      const RecordIndex& index);

// Reads `text_path`, comparing each line with the record headers of `path`, so
// what comes back is right or an error. `check` says what else is looked at.
// Errors:  kInvalidArgument naming the line that is malformed, overlaps, leaves
//          a gap, or tells another size than the record has; those of
//          BuildRecordIndex.
StatusOr<RecordIndex> ReadIndexText(FileSystem& files,
                                    const std::string& text_path,
                                    const std::string& path,
                                    IndexCheck check = IndexCheck::kHeaders);

}  // namespace penstock
