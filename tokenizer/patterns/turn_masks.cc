#include "tokenizer/patterns/turn_masks.h"

#include <algorithm>

namespace penstock {

TurnMasks::TurnMasks(const PreTokenizers& cutters) {
  touch_characters_ = std::ranges::any_of(cutters, [](const auto& cutter) {
    return cutter->LeavesTextOut() || cutter->CutsCharacters();
  });
  if (cutters.size() < 2 || cutters.size() > kMost) return;
  turns_ = cutters.size() - cutters.back()->CutChars().all();
  for (size_t i = 1; i < cutters.size(); ++i) {  // the first is always asked
    const auto chars = cutters[i]->CutChars();
    for (size_t byte = 0; byte < masks_.size(); ++byte) {
      masks_[byte] |= Mask{chars[byte]} << i;
    }
  }
  for (size_t turn = 0; turn < quiet_.size(); ++turn) {
    for (size_t c = 0; c < AsciiSet::kEnd; ++c) {
      if (masks_[c] >> turn == 0) quiet_[turn].Add(c);
    }
  }
}

}  // namespace penstock
