#include "tokenizer/patterns/o200k_scanner.h"

#include <bit>

#include "tokenizer/patterns/block_split.h"
#include "tokenizer/unicode/char_scan.h"
#include "tokenizer/unicode/han.h"

namespace penstock {
namespace {

constexpr bool IsKimi(O200kSpelling spelling) {
  return spelling == O200kSpelling::kKimi;
}
constexpr bool IsTekken(O200kSpelling spelling) {
  return spelling == O200kSpelling::kTekken;
}

template <O200kSpelling kSpelling>
bool IsWordChar(const Char& c) {
  return (c.char_class & (kLetter | kMark)) != 0 &&
         !(IsKimi(kSpelling) && IsHan(c.code_point));
}
// U: what a word may begin with. D: what it may go on with. Lm, Lo and M are
// in both.
template <O200kSpelling kSpelling>
bool InU(const Char& c) {
  return IsWordChar<kSpelling>(c) && !(c.char_class & kLower);
}
template <O200kSpelling kSpelling>
bool InD(const Char& c) {
  return IsWordChar<kSpelling>(c) && !(c.char_class & kUpper);
}

// Of a run of ASCII letters of one kind, as `count` tells of 16 bytes: its end,
// or near the text's a place in it.
template <typename Count>
size_t SkipAscii(std::string_view text, size_t pos, const Count& count) {
  size_t skipped = AsciiLetters::kBytes;
  while (skipped == AsciiLetters::kBytes && text.size() - pos >= skipped) {
    skipped = count(AsciiLetters(text.data() + pos));
    pos += skipped;
  }
  return pos;
}
size_t SkipSmall(std::string_view text, size_t pos) {
  return SkipAscii(text, pos,
                   [](AsciiLetters at) { return at.small_count(0); });
}
size_t SkipCapitals(std::string_view text, size_t pos) {
  return SkipAscii(text, pos, [](AsciiLetters at) { return at.large_count(); });
}

// U*D+|U+D* at `pos`, without its contraction; `pos` where there is none.
//
// The regex prefers U*D+ wherever D can have one character: after the run of U
// if a small letter follows, else by giving back the run up to its last
// character that is in both; only without such a one is it U+.
template <O200kSpelling kSpelling>
size_t WordEnd(std::string_view text, size_t pos) {
  size_t end = pos;
  size_t after_shared = pos;
  while (end < text.size()) {
    const Char c = CharAt(text, end);
    if (!InU<kSpelling>(c)) {
      if (!InD<kSpelling>(c)) break;
      end += c.size_bytes;
      while (end < text.size()) {
        const Char d = CharAt(text, end);
        if (!InD<kSpelling>(d)) break;
        end += d.size_bytes;
        if (d.size_bytes == 1) end = SkipSmall(text, end);
      }
      return end;
    }
    end += c.size_bytes;
    if (!(c.char_class & kUpper)) after_shared = end;
    if (c.size_bytes == 1) end = SkipCapitals(text, end);
  }
  return after_shared > pos ? after_shared : end;
}

template <O200kSpelling kSpelling>
size_t OthersThenNewlines(std::string_view text, size_t pos) {
  pos = SkipOthers(text, pos);
  while (pos < text.size() &&
         (IsNewline(text[pos]) || (!IsKimi(kSpelling) && text[pos] == '/'))) {
    ++pos;
  }
  return pos;
}

size_t SkipHan(std::string_view text, size_t pos) {
  while (pos < text.size()) {
    const Char c = CharAt(text, pos);
    if (!IsHan(c.code_point)) break;
    pos += c.size_bytes;
  }
  return pos;
}

template <O200kSpelling kSpelling>
size_t SkipSuffix(std::string_view text, size_t pos) {
  return IsTekken(kSpelling) ? pos : SkipContraction(text, pos);
}

// The end of ` ?[A-Z]*[a-z]+` at `pos` with its contraction; `pos` where there
// is none, or it may not be all of the word.
template <O200kSpelling kSpelling>
size_t PlainWordEnd(std::string_view text, size_t pos) {
  const size_t start = pos + (text[pos] == ' ' ? 1 : 0);
  if (text.size() - start <= AsciiLetters::kBytes) return pos;
  const AsciiLetters letters(text.data() + start);
  const size_t large = letters.large_count();
  const size_t small = letters.small_count(large);
  const size_t end = start + large + small;
  if (small == 0 || end == start + AsciiLetters::kBytes) return pos;
  const char next = text[end];
  if (static_cast<signed char>(next) < 0) return pos;
  return SkipSuffix<kSpelling>(text, end);
}

template <O200kSpelling kSpelling>
size_t O200kNextEnd(std::string_view text, size_t pos) {
  if (const size_t end = PlainWordEnd<kSpelling>(text, pos); end > pos)
    return end;
  const Char c = CharAt(text, pos);
  const size_t next = pos + c.size_bytes;
  if (IsKimi(kSpelling) && IsHan(c.code_point)) return SkipHan(text, next);
  if (c.char_class & kNumber) {
    return IsTekken(kSpelling) ? next : SkipUpToThreeNumbers(text, pos);
  }
  // A mark is in P too, but as P it never takes more than it does here.
  if (IsWordChar<kSpelling>(c)) {
    return SkipSuffix<kSpelling>(text, WordEnd<kSpelling>(text, pos));
  }
  if (!IsNewline(c.code_point)) {
    const size_t end = WordEnd<kSpelling>(text, next);
    if (end > next) return SkipSuffix<kSpelling>(text, end);
  }
  if (!(c.char_class & kSpace)) {
    return OthersThenNewlines<kSpelling>(text, next);
  }
  if (c.code_point == ' ' && next < text.size() &&
      !(CharAt(text, next).char_class & (kSpace | kLetter | kNumber))) {
    return OthersThenNewlines<kSpelling>(text, next);
  }
  const SpaceRun run = SpaceRunAt(text, pos);
  if (run.after_newline > 0) return run.after_newline;
  return EndOfSpaces(text, pos, run);
}

// The letters of a block that are Han, and other Han, where it is not told
// what becomes of them.
struct HanChars {
  uint64_t letters = 0;
  uint64_t others = 0;

  HanChars(const CharBlock& block, std::string_view text, size_t begin) {
    uint64_t firsts = block.inner >> 1 & ~block.inner;
    for (; firsts != 0; firsts &= firsts - 1) {
      const int place = std::countr_zero(firsts);
      const Char c = WideCharAt(text, begin + place);
      if (!IsHan(c.code_point)) continue;
      uint64_t& kind = c.char_class & kLetter ? letters : others;
      kind |= ((uint64_t{1} << c.size_bytes) - 1) << place;
    }
  }
};

template <O200kSpelling kSpelling>
PieceStarts O200kStartsOf(const CharBlock& block, std::string_view text,
                          size_t begin) {
  const uint64_t small = block.letters & ~block.capitals;
  LedPieces led(block);
  uint64_t& starts = led.pieces.starts;
  starts |= (block.capitals & small << 1) |
            (IsTekken(kSpelling) ? block.digits : ByThrees(block.digits));
  uint64_t word_letters = block.letters;
  if constexpr (IsKimi(kSpelling)) {
    const HanChars han(block, text, begin);
    starts |= Firsts(han.letters) | (block.letters & Lasts(han.letters) << 1);
    led.pieces.stops |= han.others;
    word_letters &= ~han.letters;
  } else {
    led.pieces.stops |= block.slashes & block.newlines << 1;
  }
  // Whether a capital behind a letter without case begins a word is told by
  // what follows it, or by what was before that letter.
  led.pieces.stops |= block.capitals & block.caseless << 1;
  uint64_t quotes = IsTekken(kSpelling)
                        ? 0
                        : block.apostrophes & led.leaders & word_letters << 1;
  size_t last_end = 0;
  for (; quotes != 0; quotes &= quotes - 1) {
    const size_t quote = std::countr_zero(quotes);
    if (quote == last_end) continue;  // its word has had its contraction
    const size_t end = SkipContraction(text, begin + quote) - begin;
    if (end == quote) continue;
    last_end = end;
    starts &= ~(((uint64_t{1} << (end - quote)) - 1) << quote);
    if (end < CharBlock::kBytes) starts |= block.letters & uint64_t{1} << end;
  }
  return led.pieces;
}

template <O200kSpelling kSpelling>
size_t SplitAs(std::string_view text, size_t begin, std::span<size_t> ends) {
  return SplitByBlocks<CharBlock>(text, begin, ends, O200kStartsOf<kSpelling>,
                                  O200kNextEnd<kSpelling>);
}

}  // namespace

size_t O200kScanner::Split(std::string_view text, size_t begin,
                           std::span<size_t> ends) const {
  switch (spelling_) {
    case O200kSpelling::kO200k:
      return SplitAs<O200kSpelling::kO200k>(text, begin, ends);
    case O200kSpelling::kTekken:
      return SplitAs<O200kSpelling::kTekken>(text, begin, ends);
    case O200kSpelling::kKimi:
      return SplitAs<O200kSpelling::kKimi>(text, begin, ends);
  }
  return 0;
}

std::string_view O200kScanner::name() const {
  switch (spelling_) {
    case O200kSpelling::kO200k:
      return "o200k";
    case O200kSpelling::kTekken:
      return "tekken";
    case O200kSpelling::kKimi:
      return "kimi";
  }
  return "";
}

}  // namespace penstock
