// A regular expression as steps of a machine that looks at one symbol at a
// time.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/regex/regex_node.h"
#include "tokenizer/regex/symbol_alphabet.h"

namespace penstock {

// Symbols, and behind them the one that stands for both ends of the text.
using SymbolSet = std::bitset<SymbolAlphabet::kMost + 2>;

struct RegexStep {
  enum class Kind : uint8_t {
    kTake,        // a symbol of `symbols`
    kLookAhead,   // go on where the next symbol is one of `symbols`
    kLookBehind,  // ... the symbol before
    kFork,        // to `next`, and only if that fails to `other`
    kAsk,         // what no step tells
    kMatch,       // the end of a match
  };
  Kind kind = Kind::kMatch;
  uint32_t next = 0;
  uint32_t other = 0;
  SymbolSet symbols = {};
};

// Ways of steps, of which an earlier one is preferred, lead from `begin` to the
// one kMatch.
struct RegexProgram {
  std::vector<RegexStep> steps;
  uint32_t begin = 0;
  bool looks_behind = false;
  bool asks = false;
};

// `alphabet` is that of the sets of `regex`. Possessive repetition of one set
// becomes repetition before what is not of the set. Atomic groups of anything
// else and looking at more than one character become kAsk.
//
// Errors:  kUnimplemented for more than 4,000 steps.
StatusOr<RegexProgram> CompileRegex(const ParsedRegex& regex,
                                    const SymbolAlphabet& alphabet);

}  // namespace penstock
