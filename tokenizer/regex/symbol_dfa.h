// A deterministic automaton over symbols, for the match that begins at a place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/regex/regex_program.h"

namespace penstock {

// A state is what may still become of a match: the steps where its ways are, in
// their order of preference, without those behind one that matched. What a step
// looks ahead at is known with the next symbol only; so a move on a symbol also
// says whether a match ends before that.
//
// Source:  leftmost-first matching by sets in order of preference as in RE2
//          (Cox, "Regular Expression Matching in the Wild"), matches told one
//          symbol late as in Rust's regex-automata.
//
// Threads: any number at a time.
// Memory:  2 bytes for each state and symbol, up to 128 KiB.
class SymbolDfa {
 public:
  // The place of a state's moves in the table.
  using State = uint16_t;
  static constexpr State kNoMatch = 0;  // dead

  // `symbols` includes the boundary, which is the last.
  //
  // Errors:  kUnimplemented for more than 2,000 states, 65,536 cells or 4
  //          million steps to find them, where every move from the begin asks,
  //          and where to find all matches of a text could take the square of
  //          its size: a*b|a looks for a b from every a.
  static StatusOr<SymbolDfa> Make(const RegexProgram& program, size_t symbols);

  // Whether Begin depends on the symbol before.
  bool looks_behind() const { return begins_.size() > 1; }
  // Where a match begins behind the symbol `before`.
  State Begin(size_t before) const {
    return begins_[looks_behind() ? before : 0];
  }
  State Move(State state, size_t symbol) const {
    return table_[state + symbol];
  }
  // How many there are that are not dead, and those by number.
  size_t states() const { return last_ / symbols_ - 1; }
  State StateAt(size_t number) const {
    return static_cast<State>((number + 1) * symbols_);
  }
  size_t cells() const { return table_.size(); }
  // Whether a match may begin with that symbol, whatever is before it.
  bool MayBegin(size_t symbol) const {
    return std::any_of(begins_.begin(), begins_.end(), [&](State begin) {
      return Move(begin, symbol) != kNoMatch;
    });
  }
  // By symbol, whether a match may end with it; those that it asks for aside.
  std::vector<bool> LastSymbols() const;
  // Whether the move to `state` found the end of a match before its symbol, the
  // last of them being the match's end.
  bool Matches(State state) const { return state >= first_matching_; }
  // Whether only another engine can tell the match; such a state is dead, too.
  bool Asks(State state) const { return state > last_; }
  // Whether nothing more can come.
  bool IsDead(State state) const {
    return static_cast<State>(state - 1) >= last_ - 1;
  }

 private:
  class Builder;

  size_t symbols_ = 0;
  std::vector<State> table_;
  std::vector<State> begins_;  // one, or one for each symbol before
  // The first state is dead, the last as well but matches. Those from
  // first_matching_ on match.
  State first_matching_ = 0;
  State last_ = 0;
};

}  // namespace penstock
