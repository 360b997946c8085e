#include "tokenizer/splitters/space_cutter.h"

#include <bit>
#include <utility>

#include "tokenizer/patterns/block_split.h"
#include "tokenizer/unicode/char_scan.h"

namespace penstock {

SpaceCutter::SpaceCutter(const Normalizer* normalizer, AreApart are_apart)
    : normalizer_(normalizer), are_apart_(std::move(are_apart)) {
  for (uint32_t c = 0; c < is_cut_[0].size(); ++c) {
    is_cut_[0][c] = IsCut(c, ' ');
    is_cut_[1][c] = IsCut(c, '\n');
    if (c > ' ' && c < 0x7f) cuts_behind_printable_ &= is_cut_[0][c];
  }
}

bool SpaceCutter::IsCut(uint32_t c, uint32_t blank) const {
  if (c == ' ') return false;
  if (normalizer_ != nullptr) blank = normalizer_->BlankBehind(c, blank);
  return blank != 0 && blank != '\n' && are_apart_(c, blank);
}

bool SpaceCutter::CutsAt(std::string_view text, size_t at) const {
  const auto before = static_cast<unsigned char>(text[at - 1]);
  if (before < 0x80) return is_cut_[text[at] == '\n'][before];
  const Char c = CharBefore(text, at);
  return c.code_point != kNotACharacter &&
         IsCut(c.code_point, static_cast<unsigned char>(text[at]));
}

uint64_t SpaceCutter::CutsIn(const AsciiBlock& block, std::string_view text,
                             size_t at) const {
  const uint64_t printable =
      block.letters | block.digits | (block.others & ~block.controls);
  uint64_t cuts = cuts_behind_printable_ ? block.blanks & (printable << 1) : 0;
  uint64_t others =
      (block.blanks | block.newlines) & ~cuts & ~(block.blanks << 1);
  for (; others != 0; others &= others - 1) {
    const size_t place = at + std::countr_zero(others);
    if (place > 0 && text[place] != '\r' && CutsAt(text, place)) {
      cuts |= others & -others;
    }
  }
  return cuts;
}

size_t SpaceCutter::Split(std::string_view text, size_t begin,
                          std::span<size_t> ends) const {
  size_t count = 0;
  for (size_t at = begin; at < text.size(); at += AsciiBlock::kBytes) {
    const std::string_view rest = text.substr(at);
    const AsciiBlock block = rest.size() >= AsciiBlock::kBytes
                                 ? AsciiBlock(rest.data())
                                 : LastBlock<AsciiBlock>(rest);
    uint64_t cuts = CutsIn(block, text, at);
    if (at == begin) cuts &= ~uint64_t{1};
    count += WriteStarts(cuts, at, ends.subspan(count));
    if (count == ends.size()) return count;
  }
  if (begin < text.size()) ends[count++] = text.size();
  return count;
}

size_t SpaceCutter::LastCut(std::string_view text) const {
  for (size_t at = text.size(); at-- > 1;) {
    if (text[at] == ' ' && CutsAt(text, at)) return at;
  }
  return 0;
}

}  // namespace penstock
