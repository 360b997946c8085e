// Finds gzip members behind damage. docs/formats/tfrecord.md says how surely.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/streams/stream_window.h"

namespace penstock {

// Searches one gzip TFRecord file.
//
// Threads: one at a time.
class GzipMemberSearch {
 public:
  GzipMemberSearch(FileSystem& files, std::string path)
      : files_(files), path_(std::move(path)) {}

  // Where the next member begins behind the damaged one that begins at
  // `damaged`; nullopt where there is none. Where that one's header says how
  // long it is and another follows there, that is it. A member is one whose
  // header is as gzip_member.h says, or a gzip header behind which the decoder
  // finds a TFRecord header with a right checksum, or a whole member with its
  // checksum.
  //
  // Cost:    1 to 2 GB/s of the compressed bytes; 400 KiB of memory.
  // Errors:  those of reading the file.
  StatusOr<std::optional<uint64_t>> FindBehind(uint64_t damaged);

 private:
  StatusOr<uint64_t> EndByHeader(uint64_t damaged, uint64_t size_bytes);
  StatusOr<std::string> BytesAt(uint64_t offset);
  StatusOr<bool> MemberBegins(StreamWindow& window);
  StatusOr<bool> Decodes(uint64_t offset);

  FileSystem& files_;
  const std::string path_;
  int wrong_headers_ = 0;
};

}  // namespace penstock
