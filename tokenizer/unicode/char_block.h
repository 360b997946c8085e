// The classes of the characters in the next 64 bytes, a bit for each byte.
#pragma once

#include <cstdint>

#include "tokenizer/unicode/ascii_block.h"

namespace penstock {

// An AsciiBlock that also tells wide characters: letters, and those of no
// class, which are others. They have all their bits. `wide` is left with what
// is not told:
//
//   numbers, spaces and marks that are not ASCII
//   bytes that are no UTF-8
//   a character that the block has only a part of
//   with AVX-512, where all are told at once: characters of four bytes, and of
//   three all but the groups of 64 characters whose class is the same, such as
//   Han and Hangul, and some others; all where the first is of these
//   without, where they are told one by one: all behind the first of these
struct CharBlock : AsciiBlock {
  explicit CharBlock(const char* at);
  // As without AVX-512.
  static CharBlock OneByOne(const char* at);

  // Of letters, those that are neither capital, as Lu and Lt are, nor small.
  uint64_t caseless = 0;
  // The bytes of wide characters that are told, but the first.
  uint64_t inner = 0;

  // Whether the character that these three bytes begin with may be told, and
  // where it is ASCII, the next one too.
  static bool MayTell(const char* at) {
    if (AsciiBlock::MayTell(at)) ++at;
    return AsciiBlock::MayTell(at) || MayTellWide(at);
  }

 private:
  CharBlock(const char* at, bool) : AsciiBlock(at) {}

  // Of a character that begins with these two bytes.
  static bool MayTellWide(const char* at);
  void TellOneByOne(const char* at);
};

}  // namespace penstock
