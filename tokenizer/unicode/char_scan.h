// What the scanners share: one character at a time out of UTF-8, with its
// class, and runs of characters.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "tokenizer/unicode/ascii_letters.h"
#include "tokenizer/unicode/unicode_data.h"

namespace penstock {

struct Char {
  uint32_t code_point;  // kNotACharacter for a byte that is not UTF-8
  uint32_t size_bytes;
  uint8_t char_class;  // bits of CharClass
};

inline constexpr uint32_t kNotACharacter = 0xffffffff;

// A character of two bytes or more at `pos`, or one byte that is none.
Char AnyWideCharAt(std::string_view text, size_t pos);

// The same; those of two and three bytes, away from the end, without a call.
inline Char WideCharAt(std::string_view text, size_t pos) {
  uint32_t bytes;
  if (text.size() - pos >= sizeof(bytes)) {
    std::memcpy(&bytes, text.data() + pos, sizeof(bytes));
    if constexpr (std::endian::native == std::endian::big) {
      bytes = __builtin_bswap32(bytes);
    }
    if ((bytes & 0xc0c0f0) == 0x8080e0) {
      const uint32_t c =
          (bytes & 0x0f) << 12 | (bytes >> 2 & 0x0fc0) | (bytes >> 16 & 0x3f);
      // Neither too long a form of a smaller one, nor a surrogate.
      if (c >= 0x800 && c - 0xd800 >= 0x800) return {c, 3, ClassOf(c)};
    } else if ((bytes & 0xc0e0) == 0x80c0 && (bytes & 0x1e) != 0) {
      const uint32_t c = (bytes & 0x1f) << 6 | (bytes >> 8 & 0x3f);
      return {c, 2, ClassOf(c)};
    }
  }
  return AnyWideCharAt(text, pos);
}

// `pos` < text.size().
inline Char CharAt(std::string_view text, size_t pos) {
  const auto byte = static_cast<unsigned char>(text[pos]);
  if (byte < 0x80) return {byte, 1, ClassOfAscii(byte)};
  return WideCharAt(text, pos);
}

// The character that ends at `pos` > 0, or one byte that is none.
Char CharBefore(std::string_view text, size_t pos);

// The end of the run of characters at `pos` whose class is `kWanted` under
// `kMask`: any bit of the mask where kWanted is true, none where it is false.
template <uint8_t kMask, bool kWanted>
inline size_t SkipRun(std::string_view text, size_t pos) {
  while (pos < text.size()) {
    const auto byte = static_cast<unsigned char>(text[pos]);
    if (byte < 0x80) {
      if (((ClassOfAscii(byte) & kMask) != 0) != kWanted) break;
      ++pos;
    } else {
      const Char c = WideCharAt(text, pos);
      if (((c.char_class & kMask) != 0) != kWanted) break;
      pos += c.size_bytes;
    }
  }
  return pos;
}

// Words of ASCII letters are most of many texts: 16 bytes at a time.
inline size_t SkipLetters(std::string_view text, size_t pos) {
  while (text.size() - pos >= AsciiLetters::kBytes) {
    const size_t count = AsciiLetters(text.data() + pos).count();
    pos += count;
    if (count == AsciiLetters::kBytes) continue;
    if (static_cast<signed char>(text[pos]) >= 0) return pos;
    do {
      const Char c = WideCharAt(text, pos);
      if (!(c.char_class & kLetter)) return pos;
      pos += c.size_bytes;
    } while (pos < text.size() && static_cast<signed char>(text[pos]) < 0);
  }
  return SkipRun<kLetter, true>(text, pos);
}
// The end of ` ?\p{L}+` at `pos`; `pos` where there is none.
inline size_t SkipWord(std::string_view text, size_t pos) {
  const size_t start = pos + (text[pos] == ' ' ? 1 : 0);
  const size_t end = SkipLetters(text, start);
  return end > start ? end : pos;
}
inline size_t SkipNumbers(std::string_view text, size_t pos) {
  return SkipRun<kNumber, true>(text, pos);
}
// Neither space, letter nor number.
inline size_t SkipOthers(std::string_view text, size_t pos) {
  return SkipRun<kSpace | kLetter | kNumber, false>(text, pos);
}

inline bool IsNewline(uint32_t code_point) {
  return code_point == '\n' || code_point == '\r';
}

// The end of \p{N}{1,3} where at least one number is at `pos`.
size_t SkipUpToThreeNumbers(std::string_view text, size_t pos);

// The end of (?i:'s|'t|'re|'ve|'m|'ll|'d) at `pos`; `pos` where there is none.
// 's also takes U+017F, which folds to s.
size_t SkipContraction(std::string_view text, size_t pos);

// A run of White_Space as the patterns look at it.
struct SpaceRun {
  size_t end;
  size_t last;           // where its last character begins
  size_t after_newline;  // behind its last CR or LF; 0 without one
};
// At least one space is at `pos`.
SpaceRun SpaceRunAt(std::string_view text, size_t pos);

// `\s+(?!\S)|\s+`: the whole run at the end of the text, else all but its last
// character, which belongs to what follows; a lone space is itself.
inline size_t EndOfSpaces(std::string_view text, size_t pos, SpaceRun run) {
  return run.end == text.size() || run.last == pos ? run.end : run.last;
}

// The loop of PreTokenizer::Split around a function (text, pos) -> end.
template <typename NextEnd>
size_t SplitWith(std::string_view text, size_t begin, std::span<size_t> ends,
                 NextEnd next_end) {
  size_t count = 0;
  while (begin < text.size() && count < ends.size()) {
    begin = next_end(text, begin);
    ends[count++] = begin;
  }
  return count;
}

}  // namespace penstock
