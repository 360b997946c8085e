#include "tokenizer/patterns/gpt2_scanner.h"

#include <bit>

#include "tokenizer/patterns/block_split.h"
#include "tokenizer/unicode/char_scan.h"

namespace penstock {
namespace {

// As SkipContraction, but small ASCII letters only: this pattern has no (?i).
size_t SkipSmallContraction(std::string_view text, size_t pos) {
  const std::string_view rest = text.substr(pos + 1, 2);
  if (rest.empty()) return pos;
  if (std::string_view("sdmt").find(rest[0]) != std::string_view::npos) {
    return pos + 2;
  }
  return rest == "ll" || rest == "ve" || rest == "re" ? pos + 3 : pos;
}

size_t Gpt2NextEnd(std::string_view text, size_t pos) {
  if (const size_t end = SkipWord(text, pos); end > pos) return end;
  if (text[pos] == '\'') {
    if (const size_t end = SkipSmallContraction(text, pos); end > pos) {
      return end;
    }
  }
  // Of ` ?` before a letter, number or other only the space itself is optional.
  size_t start = pos;
  if (text[pos] == ' ' && pos + 1 < text.size()) ++start;
  const Char c = CharAt(text, start);
  if (c.char_class & kNumber) return SkipNumbers(text, start + c.size_bytes);
  if (!(c.char_class & kSpace)) return SkipOthers(text, start + c.size_bytes);
  return EndOfSpaces(text, pos, SpaceRunAt(text, pos));
}

PieceStarts Gpt2StartsOf(const CharBlock& block, std::string_view text,
                         size_t begin) {
  const uint64_t behind_blank = block.blanks << 1;
  const uint64_t led_by_blanks =
      Firsts(block.letters) | Firsts(block.digits) | Firsts(block.others);
  uint64_t starts = (led_by_blanks & ~behind_blank) | Firsts(block.spaces) |
                    Lasts(block.spaces);
  uint64_t quotes = block.apostrophes & Firsts(block.others) & ~behind_blank &
                    block.letters >> 1;
  for (; quotes != 0; quotes &= quotes - 1) {
    const int quote = std::countr_zero(quotes);
    const size_t end = SkipSmallContraction(text, begin + quote) - begin;
    if (end == static_cast<size_t>(quote)) continue;
    starts &= ~(uint64_t{2} << quote);
    if (end < CharBlock::kBytes) starts |= block.letters & uint64_t{1} << end;
  }
  return {starts, block.wide};
}

}  // namespace

size_t Gpt2Scanner::Split(std::string_view text, size_t begin,
                          std::span<size_t> ends) const {
  return SplitByBlocks<CharBlock>(text, begin, ends, Gpt2StartsOf, Gpt2NextEnd);
}

}  // namespace penstock
