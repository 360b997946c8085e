#include "tokenizer/patterns/deepseek_scanner.h"

#include <bit>

#include "tokenizer/patterns/block_split.h"
#include "tokenizer/unicode/char_scan.h"

namespace penstock {
namespace {

// The second pattern: U+4E00 to U+9FA5, U+3040 to U+30FF.
bool IsHanOrKana(uint32_t c) {
  return c - 0x4e00 <= 0x9fa5 - 0x4e00 || c - 0x3040 <= 0x30ff - 0x3040;
}
// What is no UTF-8 is as U+FFFD, a symbol.
bool IsSign(const Char& c) {
  return (c.char_class & kSign) != 0 || c.code_point == kNotACharacter;
}
bool IsLetterOrMark(const Char& c) {
  return (c.char_class & (kLetter | kMark)) != 0;
}
bool IsAsciiLetter(char c) {
  return static_cast<unsigned char>((c | 0x20) - 'a') < 26;
}

// What the third pattern sees: all that is Han or Kana, or all that is neither,
// nor a number.
class Region {
 public:
  Region(std::string_view text, const Char& first)
      : text_(text), is_han_(IsHanOrKana(first.code_point)) {}

  bool Has(const Char& c) const {
    return IsHanOrKana(c.code_point) == is_han_ && !(c.char_class & kNumber);
  }
  // The end of the match at `pos`; `pos` where there is none.
  size_t EndOfMatch(size_t pos) const {
    const Char c = CharAt(text_, pos);
    const size_t next = pos + c.size_bytes;
    const bool is_sign = IsSign(c);
    if (is_sign && c.size_bytes == 1 && c.code_point != kNotACharacter &&
        next < text_.size() && IsAsciiLetter(text_[next])) {
      return SkipAsciiLetters(next);
    }
    if (IsLetterOrMark(c)) return SkipAll(next, IsLetterOrMark);
    if (!is_sign && !IsNewline(c.code_point)) {
      const size_t end = SkipAll(next, IsLetterOrMark);
      if (end > next) return end;
    }
    if (is_sign || c.code_point == ' ') {
      size_t end = SkipAll(next, IsSign);
      if (is_sign || end > next) {
        while (!is_han_ && end < text_.size() && IsNewline(text_[end])) ++end;
        return end;
      }
    }
    return c.char_class & kSpace ? EndOfSpacesAt(pos) : pos;
  }

 private:
  template <typename Wanted>
  size_t SkipAll(size_t pos, Wanted wanted) const {
    while (pos < text_.size()) {
      const Char c = CharAt(text_, pos);
      if (!wanted(c) || !Has(c)) break;
      pos += c.size_bytes;
    }
    return pos;
  }
  size_t SkipAsciiLetters(size_t pos) const {
    while (pos < text_.size() && IsAsciiLetter(text_[pos])) ++pos;
    return pos;
  }
  size_t EndOfSpacesAt(size_t pos) const {
    const SpaceRun run = SpaceRunAt(text_, pos);
    if (run.after_newline > 0) return run.after_newline;
    const bool is_last =
        run.end == text_.size() || !Has(CharAt(text_, run.end));
    return is_last ? run.end : EndOfSpaces(text_, pos, run);
  }

  const std::string_view text_;
  const bool is_han_;
};

size_t NextEnd(std::string_view text, size_t pos) {
  Char c = CharAt(text, pos);
  if (c.char_class & kNumber) return SkipUpToThreeNumbers(text, pos);
  const Region region(text, c);
  const size_t end = region.EndOfMatch(pos);
  if (end > pos) return end;
  // What no match has is a piece.
  do {
    pos += c.size_bytes;
    if (pos == text.size()) break;
    c = CharAt(text, pos);
  } while (region.Has(c) && region.EndOfMatch(pos) == pos);
  return pos;
}

// Of the characters of a block that are not ASCII.
struct WideChars {
  uint64_t bytes = 0;
  uint64_t han = 0;    // letters of the second pattern
  uint64_t stops = 0;  // others of it, and those that are no signs

  WideChars(const CharBlock& block, std::string_view text, size_t begin) {
    const uint64_t firsts = block.inner >> 1 & ~block.inner;
    bytes = firsts | block.inner;
    for (uint64_t left = firsts; left != 0; left &= left - 1) {
      const int place = std::countr_zero(left);
      const Char c = WideCharAt(text, begin + place);
      const bool is_han = IsHanOrKana(c.code_point);
      if ((block.letters >> place & 1) != 0) {
        if (is_han) han |= uint64_t{7} << place;
      } else if (is_han || !IsSign(c)) {
        stops |= uint64_t{1} << place;
      }
    }
  }
};

// As LedPieces has it, but numbers, Han and Kana begin as if the text ended
// before them, and only one sign of ASCII leads letters, also of ASCII.
PieceStarts StartsOf(const CharBlock& block, std::string_view text,
                     size_t begin) {
  const WideChars wide(block, text, begin);
  LedPieces led(block);
  uint64_t& starts = led.pieces.starts;
  const uint64_t ascii = block.letters & ~wide.bytes;
  const uint64_t letters = block.letters & ~wide.han;
  const uint64_t behind_leaders = (led.leaders & ascii >> 1) << 1;
  const uint64_t gaps = block.spaces & ~block.newlines;
  starts |= (Firsts(letters) & ~(gaps << 1 | behind_leaders)) |
            (((behind_leaders + ascii) & ~ascii) & letters) | Firsts(wide.han) |
            ByThrees(block.digits);
  // Spaces at the end of what the third pattern sees stay together.
  starts &= ~(gaps & ~Firsts(gaps) & (block.digits | wide.han) >> 1);
  led.pieces.stops |= block.controls | wide.stops;
  return led.pieces;
}

}  // namespace

size_t DeepSeekScanner::Split(std::string_view text, size_t begin,
                              std::span<size_t> ends) const {
  return SplitByBlocks<CharBlock>(text, begin, ends, StartsOf, NextEnd);
}

}  // namespace penstock
