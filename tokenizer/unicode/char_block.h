// The classes of the characters in the next 64 bytes, a bit for each byte.
#pragma once

#include <cstdint>

#include "tokenizer/unicode/ascii_block.h"

namespace penstock {

// An AsciiBlock that also tells characters of two and three bytes, where the
// processor has the instructions for it: letters, and those of no class, which
// are others. They have all their bits. `wide` is left with what is not told:
//
//   numbers, spaces and marks that are not ASCII
//   characters of four bytes, and bytes that are no UTF-8
//   one that the block has only a part of
//   of three bytes, all but the groups of 64 characters whose class is the
//   same, such as Han and Hangul, and the groups in kMixedGroups
struct CharBlock : AsciiBlock {
  explicit CharBlock(const char* at);

  // Of letters, those that are neither capital, as Lu and Lt are, nor small.
  uint64_t caseless = 0;
  // The bytes of wide characters that are told, but the first.
  uint64_t inner = 0;

  // Whether a character that begins so may be told.
  static bool MayTell(char first);
};

}  // namespace penstock
