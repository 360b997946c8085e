// The three patterns of DeepSeek V2 to V3 and R1, one after the other.
#pragma once

#include "tokenizer/patterns/pretokenizer.h"

namespace penstock {

// As Splits of a tokenizer.json, each of which cuts the pieces of the one
// before at its matches:
//
//   \p{N}{1,3}
//   [一-龥぀-ゟ゠-ヿ]+
//   [!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+
//   |[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*
//   |\s*[\r\n]+|\s+(?!\S)|\s+
//
// So for the third a text ends where a number begins, or Han and Kana do.
class DeepSeekScanner final : public PreTokenizer {
 public:
  size_t Split(std::string_view text, size_t begin,
               std::span<size_t> ends) const override;
  std::string_view name() const override { return "deepseek"; }
};

}  // namespace penstock
