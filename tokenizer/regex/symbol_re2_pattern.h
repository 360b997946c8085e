// A regular expression that RE2 matches, over symbols instead of bytes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tokenizer/interface/thread_slots.h"
#include "tokenizer/regex/regex_properties.h"
#include "tokenizer/regex/symbol_alphabet.h"
#include "tokenizer/regex/symbol_window.h"
#include "tokenizer/regex/text_pattern.h"

namespace re2 {
class RE2;
}

namespace penstock {

// An automaton of bytes has states for the first bytes of wide characters,
// thousands of them for \p{L}; of symbols it has a dozen, whatever the script.
//
// Text is given in windows. RE2 does not say whether a match would be another
// one with more text; so beginnings_ is asked, once a window, from where on
// what is there may be the begin of a match: what begins before that is sure.
class SymbolRe2Pattern final : public TextPattern {
 public:
  // Errors:  kUnimplemented for what is not regular (but the end
  //          `|\s+(?!\S)|\s+` is known), may match the empty text or is too
  //          large; those of ParseRegex and SymbolAlphabet.
  static StatusOr<std::unique_ptr<const TextPattern>> Make(
      std::string_view regex, RegexSyntax syntax);

  ~SymbolRe2Pattern() override;

  StatusOr<size_t> Find(std::string_view text, size_t from,
                        std::span<Found> found) const override;

 private:
  explicit SymbolRe2Pattern(SymbolAlphabet alphabet);

  // The first place in the window where a match is not sure.
  size_t SureEnd(const SymbolWindow& window) const;
  // The end of the match at `begin` that RE2 ends at `end`.
  size_t EndOf(const SymbolWindow& window, size_t begin, size_t end) const;

  const SymbolAlphabet alphabet_;
  // Set by Make.
  std::unique_ptr<const re2::RE2> regex_;
  std::unique_ptr<const re2::RE2> beginnings_;     // up to the window's end
  std::unique_ptr<const re2::RE2> before_spaces_;  // see re2_pattern.h
  mutable ThreadSlots<std::string> symbols_;       // locks for itself
};

}  // namespace penstock
