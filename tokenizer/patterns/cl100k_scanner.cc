#include "tokenizer/patterns/cl100k_scanner.h"

#include <bit>

#include "tokenizer/patterns/block_split.h"
#include "tokenizer/unicode/char_scan.h"

namespace penstock {
namespace {

constexpr bool IsQwen(Cl100kSpelling spelling) {
  return spelling == Cl100kSpelling::kQwen2 ||
         spelling == Cl100kSpelling::kQwen35;
}
// What words are made of.
template <Cl100kSpelling kSpelling>
constexpr uint8_t kWord =
    kSpelling == Cl100kSpelling::kQwen35 ? kLetter | kMark : kLetter;

template <Cl100kSpelling kSpelling>
size_t SkipWordChars(std::string_view text, size_t pos) {
  pos = SkipLetters(text, pos);
  if constexpr (kSpelling == Cl100kSpelling::kQwen35) {
    // Marks are not ASCII.
    while (pos < text.size() && static_cast<signed char>(text[pos]) < 0) {
      const Char c = WideCharAt(text, pos);
      if (!(c.char_class & kMark)) break;
      pos = SkipLetters(text, pos + c.size_bytes);
    }
  }
  return pos;
}

template <Cl100kSpelling kSpelling>
size_t OthersThenNewlines(std::string_view text, size_t pos) {
  pos = SkipRun<kSpace | kNumber | kWord<kSpelling>, false>(text, pos);
  while (pos < text.size() && IsNewline(text[pos])) ++pos;
  return pos;
}

template <Cl100kSpelling kSpelling>
size_t Cl100kNextEnd(std::string_view text, size_t pos) {
  const size_t start = pos + (text[pos] == ' ' ? 1 : 0);
  if (const size_t end = SkipWordChars<kSpelling>(text, start); end > start) {
    return end;
  }
  const Char c = CharAt(text, pos);
  const size_t next = pos + c.size_bytes;
  if (c.char_class & kNumber) {
    return IsQwen(kSpelling) ? next : SkipUpToThreeNumbers(text, pos);
  }
  if (c.code_point == '\'') {
    if (const size_t end = SkipContraction(text, pos); end > pos) return end;
  }
  if (next < text.size() && !IsNewline(c.code_point)) {
    // Any one character may lead a word; only a space may lead others.
    const Char second = CharAt(text, next);
    if (second.char_class & kWord<kSpelling>) {
      return SkipWordChars<kSpelling>(text, next + second.size_bytes);
    }
    if (c.code_point == ' ' &&
        !(second.char_class & (kSpace | kNumber | kWord<kSpelling>))) {
      return OthersThenNewlines<kSpelling>(text, next);
    }
  }
  if (!(c.char_class & kSpace)) {
    return OthersThenNewlines<kSpelling>(text, next);
  }
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
  starts |= IsQwen(kSpelling) ? block.digits : ByThrees(block.digits);
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
    case Cl100kSpelling::kQwen35:
      return SplitAs<Cl100kSpelling::kQwen35>(text, begin, ends);
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
    case Cl100kSpelling::kQwen35:
      return "qwen3.5";
  }
  return "";
}

}  // namespace penstock
