// Checks the directory at the end of a zip before anything is read by it.
// docs/formats/archives.md has the layout.
#pragma once

#include <cstdint>

#include "formats/archives/archive_options.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {

// How many entries the directory lists, folders included.
//
// libarchive takes a zip as it comes: it reads what it finds where the
// directory is cut off, and believes sizes. Here the directory must be whole,
// agree with the header in front of each entry, and give each byte to one entry
// at most.
// Errors:  kInvalidArgument for no zip and for names with NUL; kDataLoss for a
//          directory that is cut off, lies or overlaps; kUnimplemented for
//          encryption, several disks and methods other than stored and
//          deflated; kResourceExhausted over a limit.
// Cost:    a read of the directory and of one header per entry; 16 bytes of
//          memory per entry until it returns.
StatusOr<uint64_t> CheckZipDirectory(const ReadableFile& file,
                                     const ArchiveLimits& limits);

}  // namespace penstock
