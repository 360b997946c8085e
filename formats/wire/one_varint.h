// A varint by itself, byte by byte.
#pragma once

#include <cstdint>

namespace penstock {

// Decodes the value at `at` and returns behind it. Null where it does not end
// before `end`, is longer than 10 bytes or does not fit a T.
template <typename T>
const char* DecodeOneVarint(const char* at, const char* end, T* out) {
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (at == end) return nullptr;
    const auto byte = static_cast<uint8_t>(*at++);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *out = static_cast<T>(value);
      return *out == static_cast<int64_t>(value) ? at : nullptr;
    }
  }
  return nullptr;
}

}  // namespace penstock
