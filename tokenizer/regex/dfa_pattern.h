// A regular expression that an automaton of our own matches, in linear time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "tokenizer/regex/pcre2_pattern.h"
#include "tokenizer/regex/regex_properties.h"
#include "tokenizer/regex/symbol_alphabet.h"
#include "tokenizer/regex/symbol_dfa.h"
#include "tokenizer/regex/text_pattern.h"

namespace penstock {

// An automaton of bytes has states for the first bytes of wide characters,
// thousands of them for \p{L}; of symbols it has some dozens, whatever the
// script. PCRE2 is asked for the matches that depend on what the automaton does
// not know.
class DfaPattern final : public TextPattern {
 public:
  // Errors:  kUnimplemented for what may match the empty text; those of
  //          ParseRegex, SymbolAlphabet, CompileRegex, SymbolDfa and
  //          Pcre2Pattern.
  static StatusOr<std::unique_ptr<const TextPattern>> Make(
      std::string_view regex, RegexSyntax syntax);

  StatusOr<size_t> Find(std::string_view text, size_t from,
                        std::span<Found> found) const override;
  BehindLetters behind_letters() const override { return behind_letters_; }
  bool MayEndAt(unsigned char byte) const override {
    return byte >= may_end_.size() || may_end_[byte];
  }

 private:
  DfaPattern(SymbolAlphabet alphabet, SymbolDfa dfa,
             std::unique_ptr<const Pcre2Pattern> asked,
             BehindLetters behind_letters);

  static constexpr size_t kAsk = ~size_t{0};
  // The end of the match at `begin`; `begin` where there is none; kAsk.
  size_t EndOfMatch(std::string_view text, size_t begin) const;

  const SymbolAlphabet alphabet_;
  const SymbolDfa dfa_;
  const std::unique_ptr<const Pcre2Pattern> asked_;  // null: never
  const BehindLetters behind_letters_;
  // A match, with that ASCII character.
  std::array<bool, 128> may_begin_;
  std::array<bool, 128> may_end_;
};

}  // namespace penstock
