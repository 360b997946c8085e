// The bytes of a text file, what is still needed of them in one piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "formats/streams/byte_stream.h"

namespace penstock {

// A UTF-8 byte order mark.
inline constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

// A UTF-8 byte order mark at the start of the file is taken off.
//
// Memory:  twice `chunk_bytes`, more while Fill() is called without Consume():
//          then twice what is pending, up to `limit_bytes` and a chunk.
// Threads: one at a time.
class TextBuffer {
 public:
  // Readable bytes behind pending(), of any value, as simdjson wants them.
  static constexpr size_t kPaddingBytes = 64;

  TextBuffer(std::unique_ptr<ByteStream> stream, size_t chunk_bytes,
             uint64_t limit_bytes);

  // Puts more bytes behind pending(), which moves; false at the end of the
  // file.
  // Errors:  those of ByteStream; kInvalidArgument for a file in UTF-16 or
  //          UTF-32, a compressed or an archive file.
  StatusOr<bool> Fill();

  // Read and not yet consumed. May be written to.
  std::span<char> pending() { return {bytes_.data() + begin_, end_ - begin_}; }
  void Consume(size_t count) { begin_ += count; }

  const std::string& path() const { return stream_->path(); }

 private:
  size_t MakeRoom();
  Status TakeOffMark();

  const std::unique_ptr<ByteStream> stream_;
  const size_t chunk_bytes_;
  const uint64_t limit_bytes_;
  std::vector<char> bytes_;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool at_start_ = true;
};

}  // namespace penstock
