#include "formats/wire/wire_format.h"

#include <array>
#include <cstddef>

namespace penstock {
namespace {

constexpr uint32_t WireTypeOf(uint32_t tag) { return tag & 7; }

}  // namespace

bool WireReader::NextLongTag(uint32_t& tag) {
  const char* const begin = at_;
  tag = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    if (at_ == end_) return Fail("a tag that is cut off", begin);
    const auto byte = static_cast<uint8_t>(*at_++);
    tag |= static_cast<uint32_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      if (tag < 8) return Fail("a tag with field number 0", begin);
      return true;
    }
  }
  return Fail("a tag of more than 5 bytes", begin);
}

bool WireReader::ReadLongLength(uint32_t& size) {
  const char* const begin = at_;
  size = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    if (at_ == end_) return Fail("a length that is cut off", begin);
    const auto byte = static_cast<uint8_t>(*at_++);
    if (shift == 28 && byte >= 8) break;
    size |= static_cast<uint32_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return Fail("a length of 2 GiB or more", begin);
}

bool WireReader::ReadVarint(uint64_t& value) {
  const char* const begin = at_;
  value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (at_ == end_) return Fail("a varint that is cut off", begin);
    const auto byte = static_cast<uint8_t>(*at_++);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return Fail("a varint of more than 10 bytes", begin);
}

bool WireReader::SkipBytes(uint64_t count, const char* what) {
  if (count > static_cast<uint64_t>(end_ - at_)) return Fail(what, at_);
  at_ += count;
  return true;
}

bool WireReader::Skip(uint32_t tag, int group_limit) {
  uint64_t varint;
  std::string_view chunk;
  switch (WireTypeOf(tag)) {
    case 0:
      return ReadVarint(varint);
    case 1:
      return SkipBytes(8, "eight bytes that are cut off");
    case 2:
      return ReadChunk(chunk);
    case 3:
      return SkipGroup(tag, group_limit);
    case 4:
      return Fail("the end of a group that did not begin", at_);
    case 5:
      return SkipBytes(4, "four bytes that are cut off");
    default:
      return Fail("a wire type that does not exist", at_);
  }
}

bool WireReader::SkipGroup(uint32_t tag, int group_limit) {
  std::array<uint32_t, kWireDepthLimit> open;  // tags of the groups we are in
  int depth = 0;
  do {
    if (WireTypeOf(tag) == 3) {
      if (depth == group_limit) return Fail("groups nested too deep", at_);
      open[depth++] = tag;
    } else if (WireTypeOf(tag) == 4) {
      if (tag != open[--depth] + 1) {
        return Fail("the end of a group that did not begin", at_);
      }
      if (depth == 0) return true;
    } else if (!Skip(tag, 0)) {
      return false;
    }
  } while (NextTag(tag));
  if (defect_.what != nullptr) return false;
  return Fail("a group without an end", at_);
}

}  // namespace penstock
