// An entry of Features as every writer makes it:
//
//   0a size name | 12 size Feature: kind size list: 0a size values
//
// each part ending where the whole does. Taken apart without a message object
// or a reader, which is most of what a short feature costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "formats/examples.h"

namespace penstock {

struct PlainEntry {
  std::string_view name;
  FeatureType type;
  // The one bytes value, or the one packed part.
  std::string_view values;
};

namespace plain_entry {

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

// The same for a field that goes on to `end`, whose length is known by that.
inline bool EnterLastField(const char*& at, const char* end, char tag) {
  const auto left = static_cast<size_t>(end - at);
  if (left < 2 || *at != tag) return false;
  if (left < 2 + 0x80) {
    at += 2;
    return static_cast<uint8_t>(at[-1]) == left - 2;
  }
  if (left >= 3 + 0x80 && left < 3 + 0x4000) {
    const size_t size = left - 3;
    at += 3;
    return static_cast<uint8_t>(at[-2]) == ((size & 0x7f) | 0x80) &&
           static_cast<uint8_t>(at[-1]) == size >> 7;
  }
  size_t size;
  return EnterField(at, end, tag, size) && at + size == end;
}

}  // namespace plain_entry

// False for any other form of entry, good or bad.
inline bool ReadPlainEntry(std::string_view bytes, PlainEntry& entry) {
  using plain_entry::EnterLastField;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  size_t size;
  if (!plain_entry::EnterField(at, end, 0x0a, size)) return false;
  entry.name = {at, size};
  at += size;
  if (!EnterLastField(at, end, 0x12) || at == end) return false;
  const char kind = *at;
  switch (kind) {
    case 0x0a:
      entry.type = FeatureType::kBytes;
      break;
    case 0x12:
      entry.type = FeatureType::kFloat;
      break;
    case 0x1a:
      entry.type = FeatureType::kInt64;
      break;
    default:
      return false;
  }
  if (!EnterLastField(at, end, kind) || !EnterLastField(at, end, 0x0a)) {
    return false;
  }
  entry.values = {at, static_cast<size_t>(end - at)};
  return true;
}

}  // namespace penstock
