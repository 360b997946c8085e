// Normalizers that are a line or two each: Unicode forms, lowercase, stripping,
// prepending.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tokenizer/interface/normalizer.h"
#include "tokenizer/unicode/stable_chars.h"
#include "tokenizer/unicode/unicode_normalization.h"

namespace penstock {

// NFC, NFD, NFKC, NFKD.
class UnicodeNormalizer final : public Normalizer {
 public:
  explicit UnicodeNormalizer(NormalizationForm form) : form_(form) {}
  bool Keeps(std::string_view text) const override {
    return StableChars::Of(form_).Skip(text, 0) == text.size();
  }
  // It is a starter that nothing composes with.
  bool IsLocalAtSpaces() const override { return true; }
  uint32_t BlankBehind(uint32_t c, uint32_t blank) const override {
    // ASCII is stable in every form: to load a file needs no table for it.
    return c < 0x80 || StableChars::Of(form_).Has(c) ? blank : 0;
  }

 private:
  Status Edit(AlignedText& text) const override;
  const NormalizationForm form_;
};

class LowercaseNormalizer final : public Normalizer {
 public:
  bool IsLocalAtSpaces() const override { return true; }
  uint32_t BlankBehind(uint32_t c, uint32_t blank) const override;

 private:
  Status Edit(AlignedText& text) const override;
};

// Drops combining marks.
class AccentStripper final : public Normalizer {
 public:
  bool IsLocalAtSpaces() const override { return true; }
  uint32_t BlankBehind(uint32_t c, uint32_t blank) const override;

 private:
  Status Edit(AlignedText& text) const override;
};

// Drops White_Space at the ends.
class StripNormalizer final : public Normalizer {
 public:
  enum class Side { kNone, kLeft, kRight, kBoth };
  explicit StripNormalizer(Side side)
      : left_(side == Side::kLeft || side == Side::kBoth),
        right_(side == Side::kRight || side == Side::kBoth) {}
  bool ActsAtBegin() const override { return left_; }
  uint32_t BlankBehind(uint32_t c, uint32_t blank) const override;

 private:
  Status Edit(AlignedText& text) const override;
  // What stands before it is not white space.
  Status EditLater(AlignedText& text) const override;
  const bool left_, right_;
};

// Drops some controls and makes spaces of others, as sentencepiece's nmt rules
// do.
class NmtNormalizer final : public Normalizer {
 public:
  bool IsLocalAtSpaces() const override { return true; }
  uint32_t BlankBehind(uint32_t c, uint32_t blank) const override;

 private:
  Status Edit(AlignedText& text) const override;
};

// Puts a string before text that is not empty.
class PrependNormalizer final : public Normalizer {
 public:
  explicit PrependNormalizer(std::string prefix) : prefix_(std::move(prefix)) {}

  bool ActsAtBegin() const override { return true; }
  uint32_t BlankBehind(uint32_t /*c*/, uint32_t blank) const override {
    return blank;
  }

 private:
  Status Edit(AlignedText& text) const override;
  Status EditLater(AlignedText& /*text*/) const override { return OkStatus(); }
  const std::string prefix_;
};

// Spells bytes in the alphabet of byte_alphabet.h.
class ByteLevelNormalizer final : public Normalizer {
 private:
  Status Edit(AlignedText& text) const override;
};

}  // namespace penstock
