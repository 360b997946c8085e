// Cuts text into pieces by the masks of 64 bytes at a time.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tokenizer/unicode/char_block.h"

namespace penstock {

// Where pieces begin in a block that itself begins with a piece.
struct PieceStarts {
  uint64_t starts;  // bit 0 means nothing
  // Where bytes are that the masks do not tell enough about. A start is right
  // if the byte behind it comes before the first of them.
  uint64_t stops;
};

// The place of the last bit there is.
inline size_t LastOf(uint64_t bits) {
  return AsciiBlock::kBytes - 1 - std::countl_zero(bits);
}

// Writes where the bits of `starts` are, from `begin` on, as many as `ends`
// holds, and returns how many.
inline size_t WriteStarts(uint64_t starts, size_t begin,
                          std::span<size_t> ends) {
  if (ends.size() >= AsciiBlock::kBytes) {
    return WritePlaces(starts, begin, ends.data());
  }
  size_t written = 0;
  for (; starts != 0 && written < ends.size(); starts &= starts - 1) {
    ends[written++] = begin + std::countr_zero(starts);
  }
  return written;
}

// The block of the text's last bytes. Behind them it is as if bytes followed
// that no character has, which the masks tell nothing about.
template <typename Block>
Block LastBlock(std::string_view rest) {
  std::array<char, Block::kBytes> bytes;
  bytes.fill('\xff');
  rest.copy(bytes.data(), rest.size());
  return Block(bytes.data());
}

// The loop of PreTokenizer::Split around two functions: starts_of(block, text,
// begin) -> PieceStarts for the block at `begin`, next_end(text, begin) -> the
// end of one piece.
template <typename Block, typename StartsOf, typename NextEnd>
size_t SplitByBlocks(std::string_view text, size_t begin,
                     std::span<size_t> ends, StartsOf starts_of,
                     NextEnd next_end) {
  // A few bytes are faster one by one.
  constexpr size_t kFewBytes = 12;
  size_t count = 0;
  size_t behind_stop = begin;
  while (begin < text.size() && count < ends.size()) {
    if (begin >= behind_stop && text.size() - begin >= kFewBytes &&
        Block::MayTell(text.data() + begin)) {
      const bool is_whole = text.size() - begin >= Block::kBytes;
      const PieceStarts found =
          starts_of(is_whole ? Block(text.data() + begin)
                             : LastBlock<Block>(text.substr(begin)),
                    text, begin);
      const int stop = std::countr_zero(found.stops | uint64_t{1} << 63);
      const uint64_t sure = ((uint64_t{1} << stop) - 1) >> 1;
      uint64_t starts = found.starts & sure & ~uint64_t{1};
      // What stops at the block's end is mostly a character that it has a part
      // of, which is whole in the block from the last start on.
      const bool is_end = stop >= static_cast<int>(Block::kBytes) - 2;
      if (!is_end || starts == 0) behind_stop = begin + stop;
      if (starts != 0) {
        count += WriteStarts(starts, begin, ends.subspan(count));
        // Where all are written the next block need not wait for that.
        begin = count < ends.size() ? begin + LastOf(starts) : ends[count - 1];
        continue;
      }
    }
    begin = next_end(text, begin);
    ends[count++] = begin;
  }
  return count;
}

// What cl100k and o200k have in common, but for numbers and for what follows an
// apostrophe: any one character but a newline may lead a word, a blank may lead
// others, which newlines may follow; other spaces end behind their last newline
// or before their last character.
struct LedPieces {
  uint64_t leaders;  // the others of one byte that lead a word
  PieceStarts pieces;

  explicit LedPieces(const CharBlock& block) {
    const uint64_t gaps = block.spaces & ~block.newlines;
    const uint64_t firsts = Firsts(block.others) & ~(block.blanks << 1);
    leaders = firsts & block.letters >> 1;
    // What is behind the first of the others, past the rest of its bytes.
    const uint64_t behind = ((firsts << 1) + block.inner) & ~block.inner;
    const uint64_t of_others =
        RunsFrom(block.newlines & block.others << 1, block.newlines);
    pieces.starts = (Firsts(block.letters) & ~((gaps << 1) | behind)) | firsts |
                    Firsts(block.spaces & ~of_others) |
                    LastGapStarts(gaps, block.newlines);
    pieces.stops = block.wide;
    // A gap behind a newline begins no piece if a newline follows, which may be
    // in what the masks do not tell.
    const uint64_t indents = Firsts(gaps) & block.newlines << 1;
    if (((gaps + indents) & ~gaps & block.wide) != 0) {
      pieces.stops |= indents << 1;
    }
    if (gaps >> 63 != 0) {
      pieces.stops |= (indents & FirstOfLast(gaps)) << 1;
    }
  }

 private:
  // Of `runs`, those that begin with one of `firsts`, each of which begins one.
  static uint64_t RunsFrom(uint64_t firsts, uint64_t runs) {
    return runs & ~(runs + firsts);
  }
  // Of the run that the last bit is in, the first, unless that is bit 0.
  static uint64_t FirstOfLast(uint64_t runs) {
    return std::bit_floor(~runs) << 1;
  }
  // Of each gap that no newline follows, the first and the last.
  static uint64_t LastGapStarts(uint64_t gaps, uint64_t newlines) {
    uint64_t firsts = Firsts(gaps);
    for (uint64_t ends = newlines & gaps << 1; ends != 0; ends &= ends - 1) {
      const uint64_t before = (ends & -ends) - 1;
      firsts &= ~FirstOfLast(gaps | ~before);
    }
    return firsts | (Lasts(gaps) & ~(newlines >> 1));
  }
};

}  // namespace penstock
