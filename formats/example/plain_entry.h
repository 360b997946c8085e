// An entry of Features as every writer makes it:
//
//   0a size name | 12 size Feature: kind size list: 0a size values
//
// each part ending where the whole does. Taken apart without a message object
// or a reader, which is most of what a short feature costs.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "formats/example/examples.h"

namespace penstock {

struct PlainValue {
  FeatureType type;
  // The one bytes value, or the one packed part.
  std::string_view values;
};

namespace plain_entry {

static_assert(std::endian::native == std::endian::little,
              "eight bytes are loaded as one little-endian number");

// Steps over the tag and the length of a field whose bytes begin at `at` then;
// false, with `at` anywhere, for another tag or a length that is not of 1 to 3
// bytes or goes past `end`.
inline bool EnterField(const char*& at, const char* end, char tag,
                       size_t& size) {
  if (end - at < 2 || *at != tag) return false;
  size = static_cast<uint8_t>(at[1]);
  at += 2;
  for (int shift = 7; size >> shift != 0; shift += 7) {
    if (shift > 14 || at == end) return false;
    size = (size & ~(~size_t{0} << shift)) |
           static_cast<size_t>(static_cast<uint8_t>(*at++)) << shift;
  }
  return size <= static_cast<size_t>(end - at);
}

// The same for a field that must go on to `end`.
inline bool EnterLastField(const char*& at, const char* end, char tag) {
  size_t size;
  return EnterField(at, end, tag, size) && at + size == end;
}

// Steps over the tags and sizes before the values, of whichever kind, if all
// sizes are of one byte or all of two: where the value ends says what they must
// be, so one comparison tells. Reads 9 bytes.
inline bool SkipSizes(const char*& at, size_t left, char& kind) {
  uint64_t word;
  if (left - 6 < 0x80 - 4) {  // 12 size kind size 0a size
    std::memcpy(&word, at, sizeof(word));
    kind = at[2];
    at += 6;
    return (word & 0x0000'ffff'ff00'ffff) == 0x0000'000a'0000'0012 -
                                                 0x0000'0600'0400'0200 +
                                                 0x0000'0100'0100'0100 * left;
  }
  if (left - 9 - 0x80 >= 0x4000 - 6 - 0x80) return false;
  const auto varint = [](uint64_t size) {
    return (size & 0x7f) | 0x80 | (size >> 7) << 8;
  };
  std::memcpy(&word, at + 1, sizeof(word));  // size kind size 0a size
  const bool tag = *at == 0x12;
  kind = at[3];
  at += 9;
  return tag && (word & 0xffff'ffff'ff00'ffff) ==
                    (varint(left - 3) | varint(left - 6) << 24 |
                     uint64_t{0x0a} << 40 | varint(left - 9) << 48);
}

// The same for sizes of any form, byte by byte.
inline bool SkipAnySizes(const char*& at, const char* end, char& kind) {
  if (!EnterLastField(at, end, 0x12) || at == end) return false;
  kind = *at;
  return EnterLastField(at, end, kind) && EnterLastField(at, end, 0x0a);
}

}  // namespace plain_entry

// The name an entry begins with; what is left of `entry` is its value then.
// False for any other form, good or bad.
inline bool TakePlainName(std::string_view& entry, std::string_view& name) {
  const char* at = entry.data();
  const char* const end = at + entry.size();
  size_t size;
  if (!plain_entry::EnterField(at, end, 0x0a, size)) return false;
  name = {at, size};
  entry.remove_prefix(at + size - entry.data());
  return true;
}

// The value that the rest of an entry is; false for any other form. Bytes
// before `readable_end` may be read.
inline bool ReadPlainValue(std::string_view rest, const char* readable_end,
                           PlainValue& value) {
  const char* at = rest.data();
  const char* const end = at + rest.size();
  char kind;
  if (readable_end - at < 9 || !plain_entry::SkipSizes(at, rest.size(), kind)) {
    at = rest.data();
    if (!plain_entry::SkipAnySizes(at, end, kind)) return false;
  }
  switch (kind) {
    case 0x0a:
      value.type = FeatureType::kBytes;
      break;
    case 0x12:
      value.type = FeatureType::kFloat;
      break;
    case 0x1a:
      value.type = FeatureType::kInt64;
      break;
    default:
      return false;
  }
  value.values = {at, static_cast<size_t>(end - at)};
  return true;
}

}  // namespace penstock
