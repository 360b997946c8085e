// Bytes that are written in order and read many at a time.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace penstock {

// Keeps its memory when cleared. After the text there are always kSlack bytes
// that may be read, whatever they hold.
class TextBuffer {
 public:
  static constexpr size_t kSlack = 80;

  // Makes room for `size` more bytes.
  void Reserve(size_t size) {
    if (capacity_ - size_ < size) Grow(size);
  }

  // Where the next byte goes, valid until the next Reserve. The writer says
  // with SetEnd how far it came, not past the room it has.
  char* end() { return bytes_.get() + size_; }
  void SetEnd(const char* end) { size_ = end - bytes_.get(); }

  void Clear() { size_ = 0; }
  void Shrink(size_t size) { size_ = size; }
  size_t size() const { return size_; }
  // Valid until the next Reserve.
  std::string_view text() const { return {bytes_.get(), size_}; }

 private:
  void Grow(size_t size) {
    const size_t capacity = size_ + size + (size_ + size) / 2;
    auto bytes = std::make_unique_for_overwrite<char[]>(capacity + kSlack);
    if (size_ != 0) std::memcpy(bytes.get(), bytes_.get(), size_);
    bytes_ = std::move(bytes);
    capacity_ = capacity;
  }

  size_t size_ = 0;
  size_t capacity_ = 0;
  std::unique_ptr<char[]> bytes_ = std::make_unique<char[]>(kSlack);
};

}  // namespace penstock
