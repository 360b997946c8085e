// The classes of the next 64 bytes, a bit for each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace penstock {

// Looks at kBytes bytes, all of which must be readable. Bit i is of byte i.
struct AsciiBlock {
  static constexpr size_t kBytes = 64;

  // Whether the character that begins so is told.
  static bool MayTell(const char* at) {
    return static_cast<signed char>(*at) >= 0;
  }

  // With the widest instructions that the processor has.
  explicit AsciiBlock(const char* at);

  uint64_t letters = 0;
  uint64_t capitals = 0;
  uint64_t digits = 0;
  uint64_t spaces = 0;  // White_Space, the next two too
  uint64_t blanks = 0;  // U+0020
  uint64_t newlines = 0;
  uint64_t apostrophes = 0;
  uint64_t slashes = 0;
  uint64_t controls = 0;  // but tabs and newlines; U+007F too
  uint64_t wide = 0;      // not ASCII
  uint64_t others = 0;    // none of letters, digits, spaces, wide
};

// Of each run of ones, the first and the last.
inline uint64_t Firsts(uint64_t runs) { return runs & ~(runs << 1); }
inline uint64_t Lasts(uint64_t runs) { return runs & ~(runs >> 1); }

// Of each run of ones, every third from the first on.
inline uint64_t ByThrees(uint64_t runs) {
  uint64_t found = Firsts(runs);
  const uint64_t behind_two = runs & runs << 1 & runs << 2;
  for (uint64_t next = found; (next = next << 3 & behind_two) != 0;) {
    found |= next;
  }
  return found;
}

// Writes begin + i for each bit i of `bits`, then perhaps what does not count,
// up to a multiple of kWritten; returns how many do.
inline constexpr size_t kWritten = 8;
size_t WritePlaces(uint64_t bits, size_t begin, size_t* places);

}  // namespace penstock
