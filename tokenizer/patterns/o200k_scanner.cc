#include "tokenizer/patterns/o200k_scanner.h"

#include <bit>

#include "tokenizer/patterns/block_split.h"
#include "tokenizer/unicode/char_scan.h"

namespace penstock {
namespace {

bool IsWordChar(uint8_t c) { return c & (kLetter | kMark); }
// U: what a word may begin with. D: what it may go on with. Lm, Lo and M are
// in both.
bool InU(uint8_t c) { return IsWordChar(c) && !(c & kLower); }
bool InD(uint8_t c) { return IsWordChar(c) && !(c & kUpper); }

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
size_t WordEnd(std::string_view text, size_t pos) {
  size_t end = pos;
  size_t after_shared = pos;
  while (end < text.size()) {
    const Char c = CharAt(text, end);
    if (!InU(c.char_class)) {
      if (!InD(c.char_class)) break;
      end += c.size_bytes;
      while (end < text.size()) {
        const Char d = CharAt(text, end);
        if (!InD(d.char_class)) break;
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

size_t OthersThenNewlinesOrSlashes(std::string_view text, size_t pos) {
  pos = SkipOthers(text, pos);
  while (pos < text.size() && (IsNewline(text[pos]) || text[pos] == '/')) ++pos;
  return pos;
}

template <O200kSpelling kSpelling>
size_t SkipSuffix(std::string_view text, size_t pos) {
  return kSpelling == O200kSpelling::kO200k ? SkipContraction(text, pos) : pos;
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
  if (c.char_class & kNumber) {
    return kSpelling == O200kSpelling::kO200k ? SkipUpToThreeNumbers(text, pos)
                                              : next;
  }
  // A mark is in P too, but as P it never takes more than it does here.
  if (IsWordChar(c.char_class)) {
    return SkipSuffix<kSpelling>(text, WordEnd(text, pos));
  }
  if (!IsNewline(c.code_point)) {
    const size_t end = WordEnd(text, next);
    if (end > next) return SkipSuffix<kSpelling>(text, end);
  }
  if (!(c.char_class & kSpace)) return OthersThenNewlinesOrSlashes(text, next);
  if (c.code_point == ' ' && next < text.size() &&
      !(CharAt(text, next).char_class & (kSpace | kLetter | kNumber))) {
    return OthersThenNewlinesOrSlashes(text, next);
  }
  const SpaceRun run = SpaceRunAt(text, pos);
  if (run.after_newline > 0) return run.after_newline;
  return EndOfSpaces(text, pos, run);
}

template <O200kSpelling kSpelling>
PieceStarts O200kStartsOf(const CharBlock& block, std::string_view text,
                          size_t begin) {
  constexpr bool kIsO200k = kSpelling == O200kSpelling::kO200k;
  const uint64_t small = block.letters & ~block.capitals;
  LedPieces led(block);
  uint64_t& starts = led.pieces.starts;
  starts |= (block.capitals & small << 1) |
            (kIsO200k ? ByThrees(block.digits) : block.digits);
  led.pieces.stops |= block.slashes & block.newlines << 1;
  // Whether a capital behind a letter without case begins a word is told by
  // what follows it, or by what was before that letter.
  led.pieces.stops |= block.capitals & block.caseless << 1;
  uint64_t quotes =
      kIsO200k ? block.apostrophes & led.leaders & block.letters << 1 : 0;
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
  return spelling_ == O200kSpelling::kO200k
             ? SplitAs<O200kSpelling::kO200k>(text, begin, ends)
             : SplitAs<O200kSpelling::kTekken>(text, begin, ends);
}

}  // namespace penstock
