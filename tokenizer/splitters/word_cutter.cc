#include "tokenizer/splitters/word_cutter.h"

#include "tokenizer/patterns/block_split.h"
#include "tokenizer/unicode/hf_unicode.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

using hf_unicode::BitsOf;

enum class RawKind { kWord, kApart, kSpace };

RawKind RawKindOf(uint32_t c, bool han) {
  const uint8_t bits = BitsOf(c);
  if (bits & hf_unicode::kControl) return RawKind::kWord;
  if (c < 0x80) {
    if (bits & hf_unicode::kSpace) return RawKind::kSpace;
    return bits & hf_unicode::kPunctuation ? RawKind::kApart : RawKind::kWord;
  }
  if (bits & hf_unicode::kHan) return han ? RawKind::kApart : RawKind::kWord;
  return bits & (hf_unicode::kSpace | hf_unicode::kPunctuation) &&
                 hf_unicode::RecordOf(c).canonical_size == 0
             ? RawKind::kApart
             : RawKind::kWord;
}

// The kind of the character at `pos`, which moves behind it.
RawKind NextRawKind(std::string_view text, size_t& pos, bool han) {
  return RawKindOf(NextChar(text, pos), han);
}

size_t RawPartEnd(std::string_view text, size_t begin, bool han) {
  size_t pos = begin;
  RawKind kind = NextRawKind(text, pos, han);
  if (kind == RawKind::kSpace) {
    // Up to the last, if that is a blank that something follows.
    size_t last = begin;
    size_t next = pos;
    while (next < text.size()) {
      pos = next;
      kind = NextRawKind(text, next, han);
      if (kind != RawKind::kSpace) break;
      last = pos;
      pos = next;
    }
    if (kind == RawKind::kSpace || text[last] != ' ') return pos;
    if (last != begin) return last;
    pos = next;
  }
  if (kind == RawKind::kApart) return pos;
  for (size_t next = pos; next < text.size(); pos = next) {
    if (NextRawKind(text, next, han) != RawKind::kWord) return pos;
  }
  return pos;
}

PieceStarts RawStartsOf(const AsciiBlock& block, std::string_view, size_t) {
  const uint64_t words = block.letters | block.digits;
  const uint64_t behind_blank = block.blanks << 1;
  const uint64_t led = Firsts(words) | block.others;
  return {(led & ~behind_blank) | Firsts(block.spaces) |
              (Lasts(block.spaces) & block.blanks),
          block.wide | block.controls};
}

}  // namespace

size_t WordCutter::Split(std::string_view text, size_t begin,
                         std::span<size_t> ends) const {
  return SplitByBlocks<AsciiBlock>(
      text, begin, ends, RawStartsOf,
      [han = han_](std::string_view all, size_t at) {
        return RawPartEnd(all, at, han);
      });
}

}  // namespace penstock
