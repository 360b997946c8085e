// A regular expression that an automaton of our own matches, in linear time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/regex/pcre2_pattern.h"
#include "tokenizer/regex/regex_properties.h"
#include "tokenizer/regex/symbol_alphabet.h"
#include "tokenizer/regex/symbol_dfa.h"
#include "tokenizer/regex/text_pattern.h"
#include "tokenizer/unicode/ascii_set.h"

namespace penstock {

// An automaton of bytes has states for the first bytes of wide characters,
// thousands of them for \p{L}; of symbols it has some dozens, whatever the
// script. PCRE2 is asked for the matches that depend on what the automaton does
// not know.
//
// Memory:  beside SymbolDfa's as much again, and 32 bytes a state.
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
  CharBytes LastChars() const override;

 private:
  // The characters by which a state goes to one that stays by each of them.
  struct Run {
    AsciiSet characters;
    SymbolDfa::State to = SymbolDfa::kNoMatch;
    bool is_whole = false;  // before each other one of ASCII the match ends
  };

  DfaPattern(SymbolAlphabet alphabet, SymbolDfa dfa,
             std::unique_ptr<const Pcre2Pattern> asked,
             BehindLetters behind_letters);
  // By a character of ASCII.
  SymbolDfa::State After(SymbolDfa::State state, size_t c) const;
  // What lets Find pass over many characters at a time.
  void FindBegins();
  void FindRuns();

  static constexpr size_t kAsk = ~size_t{0};
  // The end of the match at `begin`; `begin` where there is none; kAsk.
  size_t EndOfMatch(std::string_view text, size_t begin) const;

  const SymbolAlphabet alphabet_;
  const SymbolDfa dfa_;
  const std::unique_ptr<const Pcre2Pattern> asked_;  // null: never
  const BehindLetters behind_letters_;
  AsciiSet never_begin_;          // a match
  AsciiSet never_before_;         // one of them, where a match begins
  std::vector<Run> runs_;         // the first of no state
  Run first_run_;                 // runs_[1], where there is one
  std::vector<uint16_t> run_of_;  // by state: of runs_
};

}  // namespace penstock
