// The pattern of o200k_base (also gpt-oss and Llama 4), and those like it.
#pragma once

#include "tokenizer/patterns/pretokenizer.h"

namespace penstock {

enum class O200kSpelling {
  // With U = [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}], D = [\p{Ll}\p{Lm}\p{Lo}\p{M}],
  // P = [^\r\n\p{L}\p{N}] and C = (?i:'s|'t|'re|'ve|'m|'ll|'d):
  //   P?U*D+C?|P?U+D*C?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*
  //   |\s*[\r\n]+|\s+(?!\S)|\s+
  kO200k,
  // Mistral's: without C, and \p{N} for \p{N}{1,3}.
  kTekken,
  // Kimi's: with [\p{Han}]+ before all others, U and D without Han, and [\r\n]*
  // for [\r\n/]*.
  kKimi,
};

class O200kScanner final : public PreTokenizer {
 public:
  explicit O200kScanner(O200kSpelling spelling) : spelling_(spelling) {}

  size_t Split(std::string_view text, size_t begin,
               std::span<size_t> ends) const override;
  // Numbers and signs that are Han go on with Han letters.
  bool EndsBehindLetters() const override {
    return spelling_ != O200kSpelling::kKimi;
  }
  bool StopsBehindLetters() const override { return EndsBehindLetters(); }
  std::string_view name() const override;

 private:
  const O200kSpelling spelling_;
};

}  // namespace penstock
