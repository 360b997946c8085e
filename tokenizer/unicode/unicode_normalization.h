// Unicode normalization forms as Hugging Face tokenizers apply them: by the
// data of Unicode 9.0. A younger code point is left as it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/unicode/aligned_text.h"

namespace penstock {

enum class NormalizationForm { kNfc, kNfd, kNfkc, kNfkd };

// Cost:    text that is in the form already is only looked at, 1 to 4 ns a
//          character.
// Source:  Unicode Standard Annex 15.
void Normalize(NormalizationForm form, AlignedText& text);

// One character of a decomposition.
struct DecomposedChar {
  uint32_t code_point;
  uint8_t combining_class;
  bool first;  // of what one character became
};

// Appends the canonical or compatibility decomposition of `c` to `chars`, not
// yet in canonical order.
void Decompose(uint32_t c, bool compatible, std::vector<DecomposedChar>& chars);

// Puts runs of combining characters in canonical order.
void OrderCombining(std::vector<DecomposedChar>& chars);

}  // namespace penstock
