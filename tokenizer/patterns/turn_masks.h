// Which of some pre-tokenizers, each of which cuts the pieces of the one
// before, may cut a piece.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "tokenizer/patterns/pretokenizer.h"
#include "tokenizer/unicode/ascii_set.h"

namespace penstock {

using PreTokenizers = std::vector<std::unique_ptr<const PreTokenizer>>;

// Most leave most pieces of those before them whole, and each costs more than a
// look at the bytes.
//
// Threads: any number at a time.
class TurnMasks {
 public:
  static constexpr size_t kMost = 32;

  explicit TurnMasks(const PreTokenizers& cutters);

  // The rest is asked of turns below that. A last one that cuts anything is
  // asked at once, and so are more than kMost.
  size_t turns() const { return turns_; }

  // The first from `turn` on that may cut the piece, where one may.
  size_t NextOf(size_t turn, std::string_view piece) const {
    Mask mask = 0;
    for (const char byte : piece) {
      mask |= masks_[static_cast<unsigned char>(byte)];
    }
    return turn + std::countr_zero(mask >> turn);
  }

  // Whether what is one character may still be cut, or left out.
  bool touch_characters() const { return touch_characters_; }

  // The end of the bytes from `at` on for which none from `turn` on cuts.
  size_t EndOfQuiet(size_t turn, std::string_view text, size_t at) const {
    const auto is_quiet_wide = [&](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return byte >= AsciiSet::kEnd && masks_[byte] >> turn == 0;
    };
    for (;;) {
      const size_t narrow_end = at = quiet_[turn].EndOfRun(text, at);
      while (at < text.size() && is_quiet_wide(text[at])) ++at;
      if (at == narrow_end) return at;
    }
  }

 private:
  using Mask = uint32_t;
  std::array<Mask, 256> masks_{};  // by byte
  size_t turns_ = 0;
  bool touch_characters_ = true;
  std::array<AsciiSet, kMost> quiet_;  // by turn, what no mask from it on has
};

}  // namespace penstock
