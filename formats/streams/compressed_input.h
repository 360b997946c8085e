// A window on the compressed bytes of a stream, for the decoders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "formats/files/status.h"
#include "formats/streams/byte_stream.h"

namespace penstock {

// Threads: one at a time.
class CompressedInput {
 public:
  // `source` begins at `offset` of the file.
  explicit CompressedInput(std::unique_ptr<ByteStream> source,
                           uint64_t offset = 0);

  // What was read and not yet consumed.
  std::string_view bytes() const {
    return {buffer_.get() + begin_, end_ - begin_};
  }
  void Consume(size_t size) { begin_ += size; }

  // Makes bytes() at least `size` (at most 64) long, or as long as the source
  // still allows.
  Status Want(size_t size);

  // Place of bytes()[0] in the file.
  uint64_t offset() const { return offset_of_end_ - (end_ - begin_); }
  // Where in the file what was read so far ends.
  uint64_t offset_of_end() const { return offset_of_end_; }
  const std::string& path() const { return source_->path(); }

  // OK where nothing but zero bytes, as tapes leave them, is left in the file.
  // `what` ended before them.
  Status ExpectOnlyPadding(std::string_view what);

  // The error for a file that begins with no `name` header.
  Status NotWrapped(std::string_view name);

 private:
  static constexpr size_t kBufferBytes = 256 << 10;

  const std::unique_ptr<ByteStream> source_;
  const std::unique_ptr<char[]> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t offset_of_end_;
};

}  // namespace penstock
