// What BERT does to text: cleans it, sets Chinese characters apart, strips
// accents, lowercases.
#pragma once

#include <string>
#include <string_view>

#include "tokenizer/interface/normalizer.h"

namespace penstock {

struct BertNormalizerOptions {
  // Drops controls, NUL and U+FFFD; makes every White_Space a space.
  bool clean_text = true;
  // Puts a space on both sides of each.
  bool handle_chinese_chars = true;
  // NFD, then drops nonspacing marks.
  bool strip_accents = true;
  // One code point at a time: no final sigma.
  bool lowercase = true;
};

// By the character classes of hf_unicode.h.
//
// Cost:    about 1 ns a byte of ASCII where alignment is dropped.
class BertNormalizer final : public Normalizer {
 public:
  explicit BertNormalizer(BertNormalizerOptions options);

  bool IsLocalAtSpaces() const override { return true; }
  // NFD moves marks alone, and those not past a character that is none.
  Breaks breaks() const override {
    return options_.handle_chinese_chars ? Breaks::kPunctuationAndHan
                                         : Breaks::kPunctuation;
  }

 private:
  Status Edit(AlignedText& text) const override;
  void NormalizeAligned(AlignedText& text) const;
  void NormalizeWide(std::string_view run, std::string& out) const;

  const BertNormalizerOptions options_;
  // What an ASCII byte becomes; kWide for one that is dropped, so that marks
  // around it meet.
  static constexpr char kWide = '\x80';
  char ascii_[256];
};

}  // namespace penstock
