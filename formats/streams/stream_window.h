// The next bytes of a stream, as a window that moves and grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "formats/files/status_or.h"
#include "formats/streams/byte_stream.h"

namespace penstock {

// Threads: one at a time.
// Cost:    `buffer_bytes` of memory, or the most that was needed at once.
class StreamWindow {
 public:
  StreamWindow(std::unique_ptr<ByteStream> stream, size_t buffer_bytes);

  // What was read and not consumed; it lives until ReadMore().
  std::string_view bytes() const {
    return {buffer_.get() + begin_, end_ - begin_};
  }
  void Consume(size_t size) { begin_ += size; }

  // Makes bytes() longer, of which more than there are is `needed`. False at
  // the end of the stream. Where the stream's size is not known, `needed` costs
  // memory only as far as bytes really come.
  StatusOr<bool> ReadMore(size_t needed);

  // Moves on to `offset`, which is at least offset(): what lies between is not
  // read where the stream can pass it.
  Status SkipTo(uint64_t offset);

  // Place in the stream of bytes()[0], or of what was in the window.
  uint64_t offset() const { return base_offset_ + begin_; }
  uint64_t OffsetOf(const char* at) const {
    return base_offset_ + (at - buffer_.get());
  }
  // From offset() to the stream's end, where that is known.
  std::optional<uint64_t> remaining_bytes() const;
  const std::string& path() const { return stream_->path(); }

 private:
  Status MoveToFront(size_t capacity);

  const std::unique_ptr<ByteStream> stream_;
  const size_t buffer_bytes_;
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
  size_t begin_ = 0;          // of what is not consumed
  size_t end_ = 0;            // of what is filled
  uint64_t base_offset_ = 0;  // of buffer_[0]
};

}  // namespace penstock
