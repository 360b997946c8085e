// What a text begins with, as a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace penstock {

// Up to eight bytes, the first one lowest, zeros behind the text. Reads no byte
// behind it, and calls nothing.
inline uint64_t FirstBytes(std::string_view text) {
  const auto load = [](const char* from, auto value) -> uint64_t {
    std::memcpy(&value, from, sizeof(value));
    return value;
  };
  const char* const first = text.data();
  const size_t size = text.size();
  if (size >= 8) return load(first, uint64_t{});
  // Two halves that may share bytes.
  if (size >= 4) {
    return load(first, uint32_t{}) | load(first + size - 4, uint32_t{})
                                         << (size - 4) * 8;
  }
  if (size == 0) return 0;
  const auto at = [&](size_t i) {
    return uint64_t{static_cast<unsigned char>(first[i])} << i * 8;
  };
  return at(0) | at(size / 2) | at(size - 1);
}

}  // namespace penstock
