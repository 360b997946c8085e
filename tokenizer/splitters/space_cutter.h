// Cuts before spaces that the normalizer leaves there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "tokenizer/interface/normalizer.h"
#include "tokenizer/splitters/raw_cutter.h"
#include "tokenizer/unicode/ascii_block.h"

namespace penstock {

// A part begins with U+0020, or with a line feed that becomes one, behind a
// character that stays what it is and is none (Normalizer::BlankBehind), so
// that runs of spaces are in one part.
class SpaceCutter final : public RawCutter {
 public:
  // Whether splitter and model cannot tell what begins with U+0020 or `space`
  // from what stands before it and ends with `c`.
  using AreApart = std::function<bool(uint32_t c, uint32_t space)>;

  // `normalizer` may be null, and must outlive it.
  SpaceCutter(const Normalizer* normalizer, AreApart are_apart);

  // Whether it cuts behind a letter at all.
  bool CutsWords() const { return is_cut_[0]['a']; }

  // Cost:    about 0.35 ns a byte of English.
  size_t Split(std::string_view text, size_t begin,
               std::span<size_t> ends) const override;
  size_t LastCut(std::string_view text) const override;

 private:
  // Of a character before `blank`.
  bool IsCut(uint32_t c, uint32_t blank) const;
  // Of the block at `at`, a bit for each place.
  uint64_t CutsIn(const AsciiBlock& block, std::string_view text,
                  size_t at) const;
  // `at` > 0 has a U+0020 or line feed.
  bool CutsAt(std::string_view text, size_t at) const;

  const Normalizer* const normalizer_;
  const AreApart are_apart_;
  // Whether text is cut behind an ASCII character, before a space and before a
  // line feed.
  std::array<std::array<bool, 128>, 2> is_cut_;
  bool cuts_behind_printable_ = true;  // all ASCII, before a space
};

}  // namespace penstock
