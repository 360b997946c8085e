// Protobuf's wire format read from memory, with the limits protobuf's own C++
// parser has, so that both accept the same bytes.
//
//   field   tag, then by its wire type:
//           0 varint | 1 eight bytes | 2 length, bytes | 3 fields up to the
//           matching 4 | 5 four bytes
//   tag     varint of field number << 3 | wire type; at most 5 bytes
//   length  varint; at most 5 bytes and 2^31 - 1
//   varint  7 bits a byte, lowest first, high bit set on all but the last; at
//           most 10 bytes; bits past the 64th are dropped
//
// Source:  protobuf.dev, "Encoding"; the limits from libprotobuf 3.21.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace penstock {

// Why a walk ended early; `what` is null while it goes well.
struct WireDefect {
  const char* what = nullptr;
  const char* at = nullptr;
  // Protobuf takes it; it is refused as others read it differently.
  bool ambiguous = false;

  // Always false, to be returned.
  bool Refuse(const char* reason, const char* place) {
    *this = {reason, place, true};
    return false;
  }
};

// Reads the fields of one message. The first thing wrong is put into `defect`
// and every later call returns false.
class WireReader {
 public:
  WireReader(std::string_view message, WireDefect& defect)
      : at_(message.data()), end_(at_ + message.size()), defect_(defect) {}

  // False at the end of the message too.
  bool NextTag(uint32_t& tag) {
    if (at_ == end_) return false;
    tag = static_cast<uint8_t>(*at_);
    if (tag < 0x80) {
      if (tag < 8) return Fail("a tag with field number 0", at_);
      ++at_;
      return true;
    }
    return NextLongTag(tag);
  }

  // The bytes of a field of wire type 2.
  bool ReadChunk(std::string_view& chunk) {
    uint32_t size = 0;
    if (at_ != end_ && static_cast<uint8_t>(*at_) < 0x80) {
      size = static_cast<uint8_t>(*at_++);
    } else if (end_ - at_ >= 2 && static_cast<uint8_t>(at_[1]) < 0x80) {
      size = (static_cast<uint8_t>(at_[0]) & 0x7f) |
             static_cast<uint32_t>(at_[1]) << 7;
      at_ += 2;
    } else if (!ReadLongLength(size)) {
      return false;
    }
    if (size > static_cast<size_t>(end_ - at_)) {
      return Fail("a length that goes past the end", at_);
    }
    chunk = {at_, size};
    at_ += size;
    return true;
  }

  bool ReadVarint(uint64_t& value);

  // The bytes of a field of wire type 5.
  bool ReadFixed32(std::string_view& bytes) {
    bytes = {at_, 4};
    return SkipBytes(4, "four bytes that are cut off");
  }

  // Steps over the field that `tag` begins. Groups in it may be nested
  // `group_limit` deep.
  bool Skip(uint32_t tag, int group_limit);

  // Where the next byte is read.
  const char* at() const { return at_; }

  bool Fail(const char* what, const char* at) {
    defect_ = {what, at};
    at_ = end_;
    return false;
  }

 private:
  bool NextLongTag(uint32_t& tag);
  bool ReadLongLength(uint32_t& size);
  bool SkipBytes(uint64_t count, const char* what);
  bool SkipGroup(uint32_t tag, int group_limit);

  const char* at_;
  const char* end_;
  WireDefect& defect_;
};

// Whether a tag begins a group.
constexpr bool IsGroup(uint32_t tag) { return (tag & 7) == 3; }

// Protobuf's limit for messages and groups within one another.
inline constexpr int kWireDepthLimit = 100;

}  // namespace penstock
