// A regular expression that PCRE2 matches, by trying one way after the other:
// what looks around, and all else that no automaton does.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tokenizer/interface/thread_slots.h"
#include "tokenizer/regex/regex_node.h"
#include "tokenizer/regex/regex_properties.h"
#include "tokenizer/regex/symbol_alphabet.h"
#include "tokenizer/regex/symbol_window.h"
#include "tokenizer/regex/text_pattern.h"

namespace penstock {

// PCRE2 is given symbols (symbol_alphabet.h), so that neither its Unicode nor
// its syntax decides anything, and a window of the text at a time, as it says
// where a match would look beyond.
//
// Cost:    most expressions take linear time, but as in the references some
//          take the square of a match's length, or run into the limit.
// Memory:  one byte for each character of the longest match; up to 64 MiB for
//          the ways that are still open in it.
// Errors:  of Find, kResourceExhausted beyond 4 million steps at one place, or
//          20 million at places that take more than 500.
class Pcre2Pattern final : public TextPattern {
 public:
  // Errors:  those of ParseRegex and SymbolAlphabet; kUnimplemented for what
  //          is too large for PCRE2, or in tiktoken may match the empty text.
  static StatusOr<std::unique_ptr<const Pcre2Pattern>> Make(
      std::string_view regex, RegexSyntax syntax);

  ~Pcre2Pattern() override;

  StatusOr<size_t> Find(std::string_view text, size_t from,
                        std::span<Found> found) const override {
    uint32_t steps = kMaxUnusualSteps;
    return FindWithin(steps, text, from, found);
  }
  // At places that take more than 500 steps, of one Find.
  static constexpr uint32_t kMaxUnusualSteps = 20'000'000;
  bool MayBeEmpty() const override { return may_be_empty_; }
  // Takes those that it needs from `steps`.
  StatusOr<size_t> FindWithin(uint32_t& steps, std::string_view text,
                              size_t from, std::span<Found> found) const;

 private:
  struct Free;
  struct Code;    // the compiled expression
  struct Memory;  // what one thread needs to run it

  Pcre2Pattern(std::string_view regex, const RegexNode& root,
               SymbolAlphabet alphabet, std::unique_ptr<const Code> code);

  // What pcre2_match returns, from window.at on.
  int Run(const SymbolWindow& window, Memory& memory,
          uint32_t& steps_left) const;
  int RunAt(const SymbolWindow& window, size_t place, uint32_t steps,
            uint32_t flags, Memory& memory) const;
  Status Failed(int error, size_t offset) const;

  const std::string regex_;
  const bool may_be_empty_;
  const SymbolAlphabet alphabet_;
  const std::unique_ptr<const Code> code_;
  const size_t context_;  // characters before a match that it may look at
  mutable ThreadSlots<Memory> memories_;  // locks for itself
};

}  // namespace penstock
