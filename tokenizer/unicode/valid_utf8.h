// UTF-8 that is known to be valid, one character at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/files/status.h"

namespace penstock {

inline constexpr uint32_t kReplacementCharacter = 0xfffd;

// The size that a character's first byte announces.
inline size_t Utf8Size(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

inline bool IsUtf8Continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

// The character at `pos`, which moves behind it. `text` must be valid UTF-8,
// with a character beginning at `pos`.
inline uint32_t NextChar(std::string_view text, size_t& pos) {
  const auto at = [&](size_t i) {
    return static_cast<uint32_t>(static_cast<unsigned char>(text[pos + i]));
  };
  const uint32_t first = at(0);
  uint32_t c;
  if (first < 0x80) {
    ++pos;
    return first;
  }
  if (first < 0xe0) {
    c = (first & 0x1f) << 6 | (at(1) & 0x3f);
    pos += 2;
  } else if (first < 0xf0) {
    c = (first & 0x0f) << 12 | (at(1) & 0x3f) << 6 | (at(2) & 0x3f);
    pos += 3;
  } else {
    c = (first & 0x07) << 18 | (at(1) & 0x3f) << 12 | (at(2) & 0x3f) << 6 |
        (at(3) & 0x3f);
    pos += 4;
  }
  return c;
}

// Where the character before `pos` > 0 begins.
inline size_t PreviousChar(std::string_view text, size_t pos) {
  do --pos;
  while (pos > 0 && IsUtf8Continuation(text[pos]));
  return pos;
}

// Returns how many bytes it appended.
inline size_t AppendChar(uint32_t c, std::string& text) {
  const auto put = [&](uint32_t byte) {
    text.push_back(static_cast<char>(byte));
  };
  if (c < 0x80) {
    put(c);
    return 1;
  }
  if (c < 0x800) {
    put(0xc0 | c >> 6);
    put(0x80 | (c & 0x3f));
    return 2;
  }
  if (c < 0x10000) {
    put(0xe0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
    return 3;
  }
  put(0xf0 | c >> 18);
  put(0x80 | (c >> 12 & 0x3f));
  put(0x80 | (c >> 6 & 0x3f));
  put(0x80 | (c & 0x3f));
  return 4;
}

bool IsValidUtf8(std::string_view text);

// Errors:  kInvalidArgument naming the first byte that is not UTF-8 and its
//          offset.
Status CheckUtf8(std::string_view text);

// Whether no byte is above 0x7F.
bool IsAscii(std::string_view text);

// How many bytes from `pos` are one error, by the rule of Unicode 3.9 that
// Python's errors="replace" follows; 0 where a valid character begins.
size_t Utf8ErrorAt(std::string_view text, size_t pos);

// How many bytes at the end, up to 3, begin a character that more bytes may
// finish.
size_t UnfinishedUtf8Size(std::string_view text);

// Each error becomes one U+FFFD.
std::string ReplaceUtf8Errors(std::string_view text);

}  // namespace penstock
