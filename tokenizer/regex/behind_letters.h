// Where text can be cut before it is: what patterns make of the place between a
// letter and what follows it.
#pragma once

#include "tokenizer/regex/symbol_alphabet.h"
#include "tokenizer/regex/symbol_dfa.h"

namespace penstock {

// ... unless that is a letter, a mark or an apostrophe; whatever stands around.
struct BehindLetters {
  bool stops = false;  // no match has both: only text between matches may
  bool ends = false;   // a match always ends there
};

// Of an automaton over `alphabet`, which tells apart the set `letters`, and
// those of what may also go on, `more`.
BehindLetters BehindLettersOf(const SymbolDfa& dfa,
                              const SymbolAlphabet& alphabet, size_t letters,
                              size_t more);

}  // namespace penstock
