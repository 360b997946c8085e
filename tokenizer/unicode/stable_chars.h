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
// Memory:  9 KiB a form, made when it is first asked for.
//
// Threads: any number at a time.
class StableChars {
 public:
  static const StableChars& Of(NormalizationForm form);

  bool Has(uint32_t c) const {
    return c < kEndOfWords * 64 ? words_[c / 64] >> (c % 64) & 1 : HasRare(c);
  }

  // The first character at `pos` or behind it that is not one of these; the
  // size of `text`, which is valid UTF-8, where all are. 64 bytes at a time,
  // where there is AVX-512.
  size_t Skip(std::string_view text, size_t pos) const;
  // The same, character by character.
  size_t SkipOneByOne(std::string_view text, size_t pos) const;

 private:
  // The third byte of a character counts within a word, so that its first two
  // are the number of that word.
  static constexpr uint32_t kEndOfWords = 0x10000 / 64;
  static constexpr size_t kMixedWords = 128;

  explicit StableChars(NormalizationForm form);
  bool HasRare(uint32_t c) const;
  // Where characters begin, of the 64 bytes `at`, that may be others: all that
  // are, and what has such a neighbour among eight. Reads two bytes more.
  uint64_t Doubtful(const char* at) const;

  const NormalizationForm form_;
  std::array<uint64_t, kEndOfWords> words_{};
  // [word]: a bit for each eight of its characters that are all of these.
  alignas(64) std::array<uint8_t, kEndOfWords> eights_{};
  // Which kMixedWords in a row have others.
  std::array<uint8_t, kEndOfWords / kMixedWords> mixed_{};
  size_t mixed_count_ = 0;
};

}  // namespace penstock
