// A regular expression that an automaton of our own matches, in linear time.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "tokenizer/regex/regex_properties.h"
#include "tokenizer/regex/symbol_alphabet.h"
#include "tokenizer/regex/symbol_dfa.h"
#include "tokenizer/regex/text_pattern.h"

namespace penstock {

// An automaton of bytes has states for the first bytes of wide characters,
// thousands of them for \p{L}; of symbols it has some dozens, whatever the
// script.
class DfaPattern final : public TextPattern {
 public:
  // Errors:  kUnimplemented for what may match the empty text; those of
  //          ParseRegex, SymbolAlphabet, CompileRegex and SymbolDfa.
  static StatusOr<std::unique_ptr<const TextPattern>> Make(
      std::string_view regex, RegexSyntax syntax);

  StatusOr<size_t> Find(std::string_view text, size_t from,
                        std::span<Found> found) const override;

 private:
  DfaPattern(SymbolAlphabet alphabet, SymbolDfa dfa)
      : alphabet_(std::move(alphabet)), dfa_(std::move(dfa)) {}

  // The end of the match at `begin`; `begin` where there is none.
  size_t EndOfMatch(std::string_view text, size_t begin) const;

  const SymbolAlphabet alphabet_;
  const SymbolDfa dfa_;
};

}  // namespace penstock
