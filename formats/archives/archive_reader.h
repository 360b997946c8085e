// Reads the files inside an archive as a corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "formats/archives/archive_options.h"
#include "formats/files/callback.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/records/record_reader.h"
#include "formats/streams/byte_stream.h"

namespace penstock {

// What a member gives.
enum class MemberUse {
  kRecords,  // those that the function `open` finds in it
  kWhole,    // one record, its bytes as they are
  kSkip,     // nothing, which `use` tells of
};

struct ArchiveReadOptions {
  ArchiveOptions archive;
  // What to make of the member called "dir/a.jsonl"; an error, which the
  // archive is named in front of, is the member's.
  Callback<StatusOr<MemberUse>(std::string_view name)> use;
  // Reads a kRecords member; the stream's path is "corpus.tar!a.jsonl".
  Callback<StatusOr<std::unique_ptr<RecordReader>>(
      std::unique_ptr<ByteStream> member)>
      open;
  // About the size of a block of whole members. Larger ones leave the cache.
  size_t block_bytes = 256 << 10;
  // A longer whole member is kResourceExhausted.
  uint64_t max_record_bytes = 1ull << 30;
};

// A member gives records only when it was read to its end and its checksum, if
// the format has one, was verified. Records are located as
// "corpus.tar.gz!dir/a.jsonl:17". Empty whole members are no records.
// Errors:  those of ArchiveMembers and of the readers of members; where
//          archive.on_bad_part leaves a member out the next is read. An archive
//          that is compressed as a whole is verified at its end only: members
//          before the damage were delivered when the error comes.
// Memory:  the largest member and a block.
StatusOr<std::unique_ptr<RecordReader>> OpenArchive(FileSystem& files,
                                                    const std::string& path,
                                                    ArchiveReadOptions options);

}  // namespace penstock
