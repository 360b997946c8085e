// UTF-8 as sentencepiece reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace penstock {

inline constexpr std::string_view kReplacementChar = "\xef\xbf\xbd";  // U+FFFD

// What a lead byte says; 1 for a byte that cannot lead.
inline size_t Utf8SizeByLead(unsigned char lead) {
  return lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

// The bytes of the character that [at, end), not empty, begins with; 0 if it
// begins with none: a surrogate, an overlong form, more than U+10FFFF.
inline size_t Utf8SizeOfChar(const char* at, const char* end) {
  const auto* b = reinterpret_cast<const unsigned char*>(at);
  const size_t left = end - at;
  auto trails = [b](size_t i) { return (b[i] & 0xc0) == 0x80; };
  if (b[0] < 0x80) return 1;
  if (b[0] < 0xc2) return 0;
  if (b[0] < 0xe0) return left >= 2 && trails(1) ? 2 : 0;
  if (b[0] < 0xf0) {
    if (left < 3 || !trails(1) || !trails(2)) return 0;
    if (b[0] == 0xe0 && b[1] < 0xa0) return 0;
    return b[0] == 0xed && b[1] >= 0xa0 ? 0 : 3;
  }
  if (b[0] > 0xf4 || left < 4 || !trails(1) || !trails(2) || !trails(3)) {
    return 0;
  }
  if (b[0] == 0xf0 && b[1] < 0x90) return 0;
  return b[0] == 0xf4 && b[1] >= 0x90 ? 0 : 4;
}

// All of `text` is characters.
inline bool IsUtf8(std::string_view text) {
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    const size_t size = Utf8SizeOfChar(at, end);
    if (size == 0) return false;
    at += size;
  }
  return true;
}

}  // namespace penstock
