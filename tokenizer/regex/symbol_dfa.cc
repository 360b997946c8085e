#include "tokenizer/regex/symbol_dfa.h"

#include <algorithm>
#include <map>
#include <utility>

#include "tokenizer/regex/regex_chars.h"

namespace penstock {
namespace {

constexpr size_t kMaxCells = 1 << 16;  // State counts them
constexpr size_t kMaxStates = 2000;    // pairs of them are looked at
// Of the machine, over all states and symbols.
constexpr size_t kMaxBuildSteps = 4'000'000;

using Steps = std::vector<uint32_t>;

// What is found where the next symbol is known.
struct Ways {
  Steps next;  // behind that symbol
  bool matches = false;
  bool asks = false;
};

}  // namespace

class SymbolDfa::Builder {
 public:
  Builder(const RegexProgram& program, size_t symbols)
      : program_(program),
        symbols_(symbols),
        seen_(program.steps.size()),
        next_(program.steps.size()) {}

  StatusOr<SymbolDfa> Run() {
    const size_t befores = program_.looks_behind ? symbols_ : 1;
    std::vector<size_t> begins;
    for (size_t before = 0; before < befores; ++before) {
      begins.push_back(IdOf({{program_.begin}, before, false}));
    }
    for (size_t id = 0; id < states_.size(); ++id) {
      for (size_t symbol = 0; symbol < symbols_; ++symbol) {
        moves_.push_back(MoveOf(*states_[id], symbol));
        if (steps_ > kMaxBuildSteps) return RegexLacks("that much");
      }
      if (states_.size() > kMaxStates ||
          (states_.size() + 2) * symbols_ > kMaxCells) {
        return RegexLacks("that much");
      }
    }
    if (std::any_of(begins.begin(), begins.end(),
                    [&](size_t id) { return AlwaysAsks(id); })) {
      return RegexLacks("what asks everywhere");
    }
    if (MayGoOnInVain(begins)) {
      return RegexLacks("what may go on for long without a match");
    }
    return Numbered(begins);
  }

 private:
  struct Key {
    Steps steps;
    size_t before;  // the last symbol, where that is looked at
    bool matches;   // a match ends before it

    auto operator<=>(const Key&) const = default;
  };
  // Moves to nowhere; others are numbers of states.
  static constexpr size_t kDead = ~size_t{0};
  static constexpr size_t kDeadMatch = kDead - 1;
  static constexpr size_t kAsk = kDead - 2;

  size_t IdOf(Key key) {
    const auto [found, is_new] = ids_.emplace(std::move(key), states_.size());
    if (is_new) states_.push_back(&found->first);
    return found->second;
  }

  size_t MoveOf(const Key& from, size_t symbol) {
    Ways ways;
    std::fill(seen_.begin(), seen_.end(), false);
    std::fill(next_.begin(), next_.end(), false);
    for (const uint32_t step : from.steps) {
      if (!Follow(step, from.before, symbol, ways)) break;
    }
    if (ways.asks) return kAsk;
    if (ways.next.empty() || symbol == symbols_ - 1) {
      return ways.matches ? kDeadMatch : kDead;
    }
    return IdOf({std::move(ways.next), program_.looks_behind ? symbol : 0,
                 ways.matches});
  }

  // False once something matched, for what comes later is not preferred, or
  // asks.
  bool Follow(uint32_t first, size_t before, size_t symbol, Ways& ways) {
    Steps open = {first};
    while (!open.empty()) {
      const uint32_t at = open.back();
      open.pop_back();
      ++steps_;
      if (seen_[at]) continue;
      seen_[at] = true;
      const RegexStep& step = program_.steps[at];
      switch (step.kind) {
        case RegexStep::Kind::kTake:
          if (step.symbols[symbol] && !next_[step.next]) {
            next_[step.next] = true;
            ways.next.push_back(step.next);
          }
          break;
        case RegexStep::Kind::kLookAhead:
          if (step.symbols[symbol]) open.push_back(step.next);
          break;
        case RegexStep::Kind::kLookBehind:
          if (step.symbols[before]) open.push_back(step.next);
          break;
        case RegexStep::Kind::kFork:
          open.push_back(step.other);
          open.push_back(step.next);
          break;
        case RegexStep::Kind::kAsk:
          ways.asks = true;
          return false;
        case RegexStep::Kind::kMatch:
          ways.matches = true;
          return false;
      }
    }
    return true;
  }

  bool AlwaysAsks(size_t id) const {
    const auto first = moves_.begin() + id * symbols_;
    return std::all_of(first, first + symbols_,
                       [](size_t next) { return next == kAsk; });
  }

  // Whether two walks, of which the second begins while the first is on its
  // way, may both go on together for any number of symbols without matching.
  // Where not, they do so for fewer symbols than there are pairs of states; so
  // all walks in vain take no more than that for each, and once the text.
  bool MayGoOnInVain(const std::vector<size_t>& begins) {
    const size_t count = states_.size();
    enum class Mark : uint8_t { kNew, kOpen, kDone };
    std::vector<Mark> marks(count * count, Mark::kNew);
    struct Visit {
      size_t pair;
      size_t symbol;  // the next to look at
    };
    std::vector<Visit> path;
    const auto enter = [&](size_t pair) {
      marks[pair] = Mark::kOpen;
      path.push_back({pair, 0});
    };
    for (const size_t first : moves_) {
      if (!IsInVain(first)) continue;
      for (const size_t begin : begins) {
        if (marks[first * count + begin] == Mark::kNew) {
          enter(first * count + begin);
        }
        while (!path.empty()) {
          Visit& visit = path.back();
          if (visit.symbol == symbols_) {
            marks[visit.pair] = Mark::kDone;
            path.pop_back();
            continue;
          }
          if (++steps_ > kMaxBuildSteps) return true;
          const size_t symbol = visit.symbol++;
          const size_t one = moves_[visit.pair / count * symbols_ + symbol];
          const size_t other = moves_[visit.pair % count * symbols_ + symbol];
          if (!IsInVain(one) || !IsInVain(other)) continue;
          const size_t next = one * count + other;
          if (marks[next] == Mark::kOpen) return true;
          if (marks[next] == Mark::kNew) enter(next);
        }
      }
    }
    return false;
  }
  bool IsInVain(size_t id) const { return id < kAsk && !states_[id]->matches; }

  // The table, those that match behind the others.
  SymbolDfa Numbered(const std::vector<size_t>& begins) const {
    SymbolDfa dfa;
    dfa.symbols_ = symbols_;
    std::vector<State> rows(states_.size());
    size_t row = symbols_;
    for (const bool matches : {false, true}) {
      if (matches) dfa.first_matching_ = static_cast<State>(row);
      for (size_t id = 0; id < states_.size(); ++id) {
        if (states_[id]->matches != matches) continue;
        rows[id] = static_cast<State>(row);
        row += symbols_;
      }
    }
    dfa.last_ = static_cast<State>(row);
    dfa.table_.resize(row);
    for (size_t id = 0; id < states_.size(); ++id) {
      for (size_t symbol = 0; symbol < symbols_; ++symbol) {
        const size_t next = moves_[id * symbols_ + symbol];
        dfa.table_[rows[id] + symbol] = next == kDead        ? State{0}
                                        : next == kDeadMatch ? dfa.last_
                                        : next == kAsk       ? dfa.last_ + 1
                                                             : rows[next];
      }
    }
    for (const size_t id : begins) dfa.begins_.push_back(rows[id]);
    return dfa;
  }

  const RegexProgram& program_;
  const size_t symbols_;
  std::map<Key, size_t> ids_;
  std::vector<const Key*> states_;  // by number
  std::vector<size_t> moves_;       // by state and symbol
  // Steps, on the way to one state: followed, and of that state.
  std::vector<bool> seen_, next_;
  size_t steps_ = 0;
};

StatusOr<SymbolDfa> SymbolDfa::Make(const RegexProgram& program,
                                    size_t symbols) {
  return Builder(program, symbols).Run();
}

std::vector<bool> SymbolDfa::LastSymbols() const {
  const auto is_live = [this](State state) {
    return state > 0 && !IsDead(state);
  };
  const auto row_of = [this](State state) {
    return std::span(table_).subspan(state, symbols_);
  };
  const auto may_end = [&](State state) {
    return std::ranges::any_of(row_of(state),
                               [this](State next) { return Matches(next); });
  };
  std::vector<bool> last(symbols_);
  for (size_t row = symbols_; row < table_.size(); row += symbols_) {
    for (size_t symbol = 0; symbol < symbols_; ++symbol) {
      const State next = table_[row + symbol];
      if (!last[symbol] && is_live(next)) last[symbol] = may_end(next);
    }
  }
  return last;
}

}  // namespace penstock
