#include "formats/streams/stream_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {

StreamWindow::StreamWindow(std::unique_ptr<ByteStream> stream,
                           size_t buffer_bytes)
    : stream_(std::move(stream)),
      // A small file needs no large buffer.
      buffer_bytes_(std::min<uint64_t>(
          buffer_bytes,
          std::max<uint64_t>(stream_->size_bytes().value_or(~0ull), 1))) {}

StatusOr<bool> StreamWindow::ReadMore(size_t needed) {
  size_t capacity = std::max(capacity_, buffer_bytes_);
  if (needed > capacity) {
    const bool known = stream_->size_bytes().has_value();
    const size_t proven = known || end_ - begin_ < capacity_ ? 0 : capacity_;
    capacity = known ? needed : std::min(needed, capacity + proven);
  }
  PENSTOCK_RETURN_IF_ERROR(MoveToFront(capacity));
  PENSTOCK_ASSIGN_OR_RETURN(
      const size_t got,
      stream_->Read({buffer_.get() + end_, capacity_ - end_}));
  end_ += got;
  return got > 0;
}

Status StreamWindow::SkipTo(uint64_t offset) {
  const uint64_t skipped = offset - this->offset();
  const uint64_t held = std::min<uint64_t>(skipped, bytes().size());
  Consume(held);
  if (held == skipped) return OkStatus();
  base_offset_ = offset;
  begin_ = end_ = 0;
  return stream_->Skip(skipped - held);
}

Status StreamWindow::MoveToFront(size_t capacity) {
  const size_t left = end_ - begin_;
  if (capacity > capacity_) {
    std::unique_ptr<char[]> larger(new (std::nothrow) char[capacity]);
    if (larger == nullptr) {
      return ResourceExhaustedError(
          fmt::format("{}: no memory for {} bytes", path(), capacity));
    }
    if (left > 0) std::memcpy(larger.get(), buffer_.get() + begin_, left);
    buffer_ = std::move(larger);
    capacity_ = capacity;
  } else if (left > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, left);
  }
  base_offset_ += begin_;
  begin_ = 0;
  end_ = left;
  return OkStatus();
}

std::optional<uint64_t> StreamWindow::remaining_bytes() const {
  const std::optional<uint64_t> size_bytes = stream_->size_bytes();
  if (!size_bytes.has_value()) return std::nullopt;
  return *size_bytes - offset();
}

}  // namespace penstock
