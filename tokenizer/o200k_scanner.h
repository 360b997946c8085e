// The pattern of o200k_base (also gpt-oss and Llama 4).
#pragma once

#include "tokenizer/pretokenizer.h"

namespace penstock {

// With U = [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}], D = [\p{Ll}\p{Lm}\p{Lo}\p{M}],
// P = [^\r\n\p{L}\p{N}] and C = (?i:'s|'t|'re|'ve|'m|'ll|'d):
//   P?U*D+C?|P?U+D*C?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*
//   |\s*[\r\n]+|\s+(?!\S)|\s+
class O200kScanner final : public PreTokenizer {
 public:
  size_t Split(std::string_view text, size_t begin,
               std::span<size_t> ends) const override;
  std::string_view name() const override { return "o200k"; }
};

}  // namespace penstock
