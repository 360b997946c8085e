// sentencepiece's precompiled character map as Hugging Face tokenizers apply
// it: the Precompiled of a tokenizer.json.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "formats/files/status_or.h"
#include "tokenizer/interface/normalizer.h"

namespace penstock {

// Differs from sentencepiece itself, which replaces the longest match at each
// byte: here a grapheme below six bytes is looked up first, and what the
// shortest match in it becomes replaces all of it; else each character alone.
//
// | bytes       | content                                              |
// |-------------|------------------------------------------------------|
// | 4           | n: size of the trie in bytes, little-endian          |
// | n           | a darts-clone double array of 32-bit units           |
// | rest        | replacements, each ended by NUL; the trie's values   |
// |             | are their offsets                                    |
class CharsmapNormalizer final : public Normalizer {
 public:
  // Errors:  kDataLoss.
  static StatusOr<std::unique_ptr<const CharsmapNormalizer>> Parse(
      std::string bytes);

  uint32_t BlankBehind(uint32_t c, uint32_t blank) const override;

 private:
  static constexpr uint32_t kEndOfWords = 0x10000 / 64;

  Status Edit(AlignedText& text) const override;
  CharsmapNormalizer() = default;

  void FindLoneChars();
  std::optional<std::string_view> Find(std::string_view key) const;
  bool Begins(std::string_view key) const;
  // Whether it stays as it is before such a character and the text's end.
  bool IsLone(uint32_t c) const {
    return c < kEndOfWords * 64 && (lone_[c / 64] >> (c % 64) & 1) != 0;
  }
  // Behind the characters from `begin` on that stay as they are.
  size_t SkipLone(std::string_view text, size_t begin) const;

  static constexpr size_t kUnitBytes = sizeof(uint32_t);

  // Of the trie, i < unit_count_.
  uint32_t Unit(size_t i) const {
    uint32_t unit = 0;
    std::memcpy(&unit, bytes_.data() + (1 + i) * kUnitBytes, kUnitBytes);
    return unit;
  }
  std::string_view Replacements() const {
    return std::string_view(bytes_).substr((1 + unit_count_) * kUnitBytes);
  }

  std::string bytes_;  // as in the table above
  size_t unit_count_ = 0;
  bool multiplies_ = false;  // a character may become very many
  std::array<uint64_t, kEndOfWords> lone_{};
  // What a blank becomes; 0 where that depends on what is behind it.
  uint32_t space_becomes_ = 0;
  uint32_t newline_becomes_ = 0;
};

}  // namespace penstock
