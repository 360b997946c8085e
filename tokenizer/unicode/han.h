// Which characters are Han.
#pragma once

#include <cstdint>

namespace penstock {

namespace han {

struct Range {
  uint32_t first, last;
};
// \p{Han} of Unicode 16.0, Scripts.txt.
inline constexpr Range kRanges[] = {
    {0x2e80, 0x2e99},   {0x2e9b, 0x2ef3},   {0x2f00, 0x2fd5},
    {0x3005, 0x3005},   {0x3007, 0x3007},   {0x3021, 0x3029},
    {0x3038, 0x303b},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},
    {0xf900, 0xfa6d},   {0xfa70, 0xfad9},   {0x16fe2, 0x16fe3},
    {0x16ff0, 0x16ff1}, {0x20000, 0x2a6df}, {0x2a700, 0x2b739},
    {0x2b740, 0x2b81d}, {0x2b820, 0x2cea1}, {0x2ceb0, 0x2ebe0},
    {0x2ebf0, 0x2ee5d}, {0x2f800, 0x2fa1d}, {0x30000, 0x3134a},
    {0x31350, 0x323af},
};

}  // namespace han

// Any number that is no code point is not.
inline bool IsHan(uint32_t c) {
  if (c < han::kRanges[0].first) return false;
  if (c - 0x4e00 <= 0x9fff - 0x4e00) return true;
  // Kana and what is behind it, Hangul.
  if (c - 0x303c < 0x3400 - 0x303c || c - 0xa000 < 0xf900 - 0xa000) {
    return false;
  }
  for (const han::Range range : han::kRanges) {
    if (c - range.first <= range.last - range.first) return true;
  }
  return false;
}

}  // namespace penstock
