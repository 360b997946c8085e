#include "tokenizer/patterns/cl100k_scanner.h"

#include <bit>

#include "tokenizer/patterns/block_split.h"
#include "tokenizer/unicode/char_scan.h"

namespace penstock {
namespace {

size_t OthersThenNewlines(std::string_view text, size_t pos) {
  pos = SkipOthers(text, pos);
  while (pos < text.size() && IsNewline(text[pos])) ++pos;
  return pos;
}

template <Cl100kSpelling kSpelling>
size_t Cl100kNextEnd(std::string_view text, size_t pos) {
  if (const size_t end = SkipWord(text, pos); end > pos) return end;
  const Char c = CharAt(text, pos);
  const size_t next = pos + c.size_bytes;
  if (c.char_class & kNumber) {
    return kSpelling == Cl100kSpelling::kQwen2
               ? next
               : SkipUpToThreeNumbers(text, pos);
  }
  if (c.code_point == '\'') {
    if (const size_t end = SkipContraction(text, pos); end > pos) return end;
  }
  if (next < text.size() && !IsNewline(c.code_point)) {
    // Any one character may lead a word; only a space may lead others.
    const Char second = CharAt(text, next);
    if (second.char_class & kLetter) {
      return SkipLetters(text, next + second.size_bytes);
    }
    if (c.code_point == ' ' &&
        !(second.char_class & (kSpace | kLetter | kNumber))) {
      return OthersThenNewlines(text, next);
    }
  }
  if (!(c.char_class & kSpace)) return OthersThenNewlines(text, next);
  const SpaceRun run = SpaceRunAt(text, pos);
  if (kSpelling == Cl100kSpelling::kTiktoken && run.end == text.size()) {
    return run.end;
  }
  if (run.after_newline > 0) return run.after_newline;
  return EndOfSpaces(text, pos, run);
}

template <Cl100kSpelling kSpelling>
PieceStarts Cl100kStartsOf(const CharBlock& block, std::string_view text,
                           size_t begin) {
  LedPieces led(block);
  uint64_t& starts = led.pieces.starts;
  starts |= kSpelling == Cl100kSpelling::kQwen2 ? block.digits
                                                : ByThrees(block.digits);
  uint64_t quotes = block.apostrophes & led.leaders;
  for (; quotes != 0; quotes &= quotes - 1) {
    const size_t quote = std::countr_zero(quotes);
    const size_t end = SkipContraction(text, begin + quote) - begin;
    if (end == quote || end >= CharBlock::kBytes) continue;
    starts |= block.letters & uint64_t{1} << end;
  }
  return led.pieces;
}

template <Cl100kSpelling kSpelling>
size_t SplitAs(std::string_view text, size_t begin, std::span<size_t> ends) {
  return SplitByBlocks<CharBlock>(text, begin, ends, Cl100kStartsOf<kSpelling>,
                                  Cl100kNextEnd<kSpelling>);
}

}  // namespace

size_t Cl100kScanner::Split(std::string_view text, size_t begin,
                            std::span<size_t> ends) const {
  switch (spelling_) {
    case Cl100kSpelling::kTiktoken:
      return SplitAs<Cl100kSpelling::kTiktoken>(text, begin, ends);
    case Cl100kSpelling::kLlama3:
      return SplitAs<Cl100kSpelling::kLlama3>(text, begin, ends);
    case Cl100kSpelling::kQwen2:
      return SplitAs<Cl100kSpelling::kQwen2>(text, begin, ends);
  }
  return 0;
}

std::string_view Cl100kScanner::name() const {
  switch (spelling_) {
    case Cl100kSpelling::kTiktoken:
      return "cl100k";
    case Cl100kSpelling::kLlama3:
      return "llama3";
    case Cl100kSpelling::kQwen2:
      return "qwen2";
  }
  return "";
}

}  // namespace penstock
