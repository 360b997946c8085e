// The pattern of cl100k_base, in its two spellings, and those of Qwen.
#pragma once

#include "tokenizer/patterns/pretokenizer.h"

namespace penstock {

// The first two differ in spaces at the end of a text, and only there:
// tiktoken's takes them as one piece, while Llama 3's ends a piece after the
// last newline.
enum class Cl100kSpelling {
  // '(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+
  // | ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s
  kTiktoken,
  // (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}
  // | ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
  kLlama3,
  // Llama 3's, but \p{N} for \p{N}{1,3}.
  kQwen2,
  // Qwen 2's, but [\p{L}\p{M}]+ for \p{L}+ and [^\s\p{L}\p{M}\p{N}]+ for
  // [^\s\p{L}\p{N}]+.
  kQwen35,
};

class Cl100kScanner final : public PreTokenizer {
 public:
  explicit Cl100kScanner(Cl100kSpelling spelling) : spelling_(spelling) {}

  size_t Split(std::string_view text, size_t begin,
               std::span<size_t> ends) const override;
  std::string_view name() const override;

 private:
  const Cl100kSpelling spelling_;
};

}  // namespace penstock
