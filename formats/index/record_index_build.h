// Makes indexes of files that have none.
#pragma once

#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/index/record_index.h"
#include "formats/records/record_reader.h"

namespace penstock {

enum class IndexCheck {
  // Hops from header to header, whose checksums are verified: where records lie
  // is proven, what they hold is not looked at.
  kHeaders,
  // Verifies both checksums of every record.
  kAll,
};

struct IndexBuildOptions {
  Compression compression = Compression::kNone;
  IndexCheck check = IndexCheck::kAll;
};

// The members of a gzip file, by their headers; the last is where one more
// would begin.
// Errors:  as BuildRecordIndex().
StatusOr<std::vector<GzipMemberPlace>> FindGzipMembers(FileSystem& files,
                                                       const std::string& path);

// Errors:  those of OpenTfRecord; kFailedPrecondition for a gzip file whose
//          members do not say that they hold whole records (see
//          gzip_member.h), or where the file changes meanwhile;
//          kInvalidArgument for any other compression.
// Cost:    8 bytes of memory a record, 24 a member. Headers alone: of records
//          up to 4 KiB, what the system has in memory is looked at 8 MiB at a
//          time where it is mapped, the rest is read; longer ones cost a small
//          read each.
StatusOr<RecordIndex> BuildRecordIndex(FileSystem& files,
                                       const std::string& path,
                                       IndexBuildOptions options = {});

}  // namespace penstock
