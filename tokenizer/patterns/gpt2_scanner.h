// The pattern of GPT-2 (r50k_base, p50k_base, Hugging Face's ByteLevel).
#pragma once

#include "tokenizer/patterns/pretokenizer.h"

namespace penstock {

// '(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
class Gpt2Scanner final : public PreTokenizer {
 public:
  size_t Split(std::string_view text, size_t begin,
               std::span<size_t> ends) const override;
  std::string_view name() const override { return "gpt2"; }
};

}  // namespace penstock
