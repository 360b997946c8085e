// Characters that a normalization form leaves alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tokenizer/unicode/unicode_normalization.h"

namespace penstock {

// Those that stay as they are and neither move nor merge with what is before
// them, by the data of hf_unicode.h.
//
// Memory:  8 KiB a form, made when it is first asked for.
//
// Threads: any number at a time.
class StableChars {
 public:
  static const StableChars& Of(NormalizationForm form);

  bool Has(uint32_t c) const {
    return c < kEndOfWords * 64 ? words_[c / 64] >> (c % 64) & 1 : HasRare(c);
  }

  // The first character at `pos` or behind it that is not one of these; the
  // size of `text`, which is valid UTF-8, where all are.
  size_t Skip(std::string_view text, size_t pos) const;

 private:
  // The third byte of a character counts within a word, so that its first two
  // are the number of that word.
  static constexpr uint32_t kEndOfWords = 0x10000 / 64;

  explicit StableChars(NormalizationForm form);
  bool HasRare(uint32_t c) const;

  const NormalizationForm form_;
  std::array<uint64_t, kEndOfWords> words_{};
};

}  // namespace penstock
