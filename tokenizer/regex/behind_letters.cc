#include "tokenizer/regex/behind_letters.h"

#include <algorithm>
#include <set>
#include <vector>

namespace penstock {
namespace {

using State = SymbolDfa::State;
using Symbols = std::vector<size_t>;

// Those that are not dead.
std::set<State> Reachable(const SymbolDfa& dfa, size_t symbols) {
  std::set<State> reached = {dfa.Begin(0)};
  for (std::vector<State> open(reached.begin(), reached.end());
       !open.empty();) {
    const State from = open.back();
    open.pop_back();
    for (size_t symbol = 0; symbol < symbols; ++symbol) {
      const State to = dfa.Move(from, symbol);
      if (!dfa.IsDead(to) && reached.insert(to).second) open.push_back(to);
    }
  }
  return reached;
}

}  // namespace

BehindLetters BehindLettersOf(const SymbolDfa& dfa,
                              const SymbolAlphabet& alphabet, size_t letters,
                              size_t more) {
  // The next match would begin behind a letter, or at the begin of a text.
  if (dfa.looks_behind()) return {};
  const size_t boundary = alphabet.boundary();
  Symbols of_letters, others;
  for (size_t symbol = 0; symbol < boundary; ++symbol) {
    if (alphabet.Has(letters, symbol)) of_letters.push_back(symbol);
    if (!alphabet.Has(letters, symbol) && !alphabet.Has(more, symbol)) {
      others.push_back(symbol);
    }
  }
  // Whatever was read before the letter, nothing is read behind it, and what
  // matches does so as if the text ended there.
  for (const State from : Reachable(dfa, boundary + 1)) {
    for (const size_t letter : of_letters) {
      const State behind = dfa.Move(from, letter);
      if (dfa.Asks(behind)) return {};
      if (dfa.IsDead(behind)) continue;
      const State at_end = dfa.Move(behind, boundary);
      if (std::any_of(others.begin(), others.end(), [&](size_t other) {
            return dfa.Move(behind, other) != at_end;
          })) {
        return {};
      }
      if (dfa.Asks(at_end)) return {};
    }
  }
  // Every letter that begins a match is one.
  constexpr BehindLetters kOnlyStops = {.stops = true};
  for (const size_t letter : of_letters) {
    const State behind = dfa.Move(dfa.Begin(0), letter);
    if (dfa.IsDead(behind)) return kOnlyStops;
    for (size_t next = 0; next <= boundary; ++next) {
      const State to = dfa.Move(behind, next);
      if (!dfa.Matches(to) || dfa.Asks(to)) return kOnlyStops;
    }
  }
  return {.stops = true, .ends = true};
}

}  // namespace penstock
