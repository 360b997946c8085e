#include "tokenizer/regex/dfa_pattern.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/regex/regex_chars.h"
#include "tokenizer/regex/regex_facts.h"
#include "tokenizer/regex/regex_parser.h"
#include "tokenizer/regex/regex_program.h"

namespace penstock {
namespace {

// What tells where a text may be cut: see BehindLettersOf.
const std::vector<CharSet>& LettersAndMore() {
  static const auto& sets = *[] {
    CharSet more = CharSet::Category("M").value();
    more.Add(CharSet::Of('\'', '\''));
    return new std::vector<CharSet>{CharSet::Category("L").value(),
                                    std::move(more)};
  }();
  return sets;
}

bool IsAscii(char byte) { return static_cast<signed char>(byte) >= 0; }

}  // namespace

StatusOr<std::unique_ptr<const TextPattern>> DfaPattern::Make(
    std::string_view regex, RegexSyntax syntax) {
  PENSTOCK_ASSIGN_OR_RETURN(const ParsedRegex parsed,
                            ParseRegex(regex, syntax));
  if (CanBeEmpty(parsed.root)) return RegexLacks("a match that may be empty");
  std::vector<CharSet> sets = parsed.sets;
  const size_t letters = sets.size();
  sets.insert(sets.end(), LettersAndMore().begin(), LettersAndMore().end());
  PENSTOCK_ASSIGN_OR_RETURN(SymbolAlphabet alphabet,
                            SymbolAlphabet::Make(sets));
  PENSTOCK_ASSIGN_OR_RETURN(const RegexProgram program,
                            CompileRegex(parsed, alphabet));
  PENSTOCK_ASSIGN_OR_RETURN(SymbolDfa dfa,
                            SymbolDfa::Make(program, alphabet.boundary() + 1));
  const BehindLetters behind_letters =
      BehindLettersOf(dfa, alphabet, letters, letters + 1);
  std::unique_ptr<const Pcre2Pattern> asked;
  if (program.asks) {
    PENSTOCK_ASSIGN_OR_RETURN(asked, Pcre2Pattern::Make(regex, syntax));
  }
  return std::unique_ptr<const TextPattern>(new DfaPattern(
      std::move(alphabet), std::move(dfa), std::move(asked), behind_letters));
}

DfaPattern::DfaPattern(SymbolAlphabet alphabet, SymbolDfa dfa,
                       std::unique_ptr<const Pcre2Pattern> asked,
                       BehindLetters behind_letters)
    : alphabet_(std::move(alphabet)),
      dfa_(std::move(dfa)),
      asked_(std::move(asked)),
      behind_letters_(behind_letters) {
  FindBegins();
  FindRuns();
}

SymbolDfa::State DfaPattern::After(SymbolDfa::State state, size_t c) const {
  return dfa_.Move(state, alphabet_.Of(c));
}

void DfaPattern::FindBegins() {
  for (size_t c = 0; c < AsciiSet::kEnd; ++c) {
    if (!dfa_.MayBegin(alphabet_.Of(c))) never_begin_.Add(c);
  }
  if (dfa_.looks_behind()) return;
  // Those that lead to one state, which none of them leads on from.
  std::optional<SymbolDfa::State> first;
  for (size_t c = 0; c < AsciiSet::kEnd; ++c) {
    const SymbolDfa::State state = After(dfa_.Begin(0), c);
    if (dfa_.IsDead(state) || After(state, c) != SymbolDfa::kNoMatch) continue;
    if (!first) first = state;
    if (state == *first) never_before_.Add(c);
  }
}

void DfaPattern::FindRuns() {
  run_of_.resize(dfa_.cells());
  runs_.resize(1);
  for (size_t row = 0; row < dfa_.states(); ++row) {
    const SymbolDfa::State from = dfa_.StateAt(row);
    std::map<SymbolDfa::State, size_t> characters;  // by where they lead
    const auto leads_to = [&](size_t c) -> std::optional<SymbolDfa::State> {
      const SymbolDfa::State to = After(from, c);
      if (dfa_.IsDead(to) || After(to, c) != to) return {};
      return to;
    };
    for (size_t c = 0; c < AsciiSet::kEnd; ++c) {
      if (const auto to = leads_to(c)) ++characters[*to];
    }
    if (characters.empty()) continue;
    Run run;
    run.to = std::ranges::max_element(characters, {}, [](const auto& one) {
               return one.second;
             })->first;
    run.is_whole = true;
    for (size_t c = 0; c < AsciiSet::kEnd; ++c) {
      if (leads_to(c) == run.to) {
        run.characters.Add(c);
      } else {
        const SymbolDfa::State next = After(run.to, c);
        run.is_whole &=
            dfa_.IsDead(next) && dfa_.Matches(next) && !dfa_.Asks(next);
      }
    }
    run_of_[from] = static_cast<uint16_t>(runs_.size());
    runs_.push_back(run);
  }
  if (runs_.size() > 1) first_run_ = runs_[1];
}

CharBytes DfaPattern::LastChars() const {
  if (asked_ != nullptr) return ~CharBytes{};
  const std::vector<bool> last = dfa_.LastSymbols();
  return BytesOfChars([&](uint32_t c) { return last[alphabet_.Of(c)]; });
}

size_t DfaPattern::EndOfMatch(std::string_view text, size_t begin) const {
  const auto boundary = static_cast<uint32_t>(alphabet_.boundary());
  size_t symbol_before = boundary;
  if (dfa_.looks_behind() && begin > 0) {
    symbol_before = alphabet_.At(text, SkipBack(text, begin, 1)).symbol;
  }
  SymbolDfa::State state = dfa_.Begin(symbol_before);
  size_t end = begin;
  size_t at = begin;
  for (SymbolAlphabet::Symbol next;; at += next.size_bytes) {
    next = at < text.size() ? alphabet_.At(text, at)
                            : SymbolAlphabet::Symbol{boundary, 0};
    state = dfa_.Move(state, next.symbol);
    if (dfa_.IsDead(state)) {
      if (dfa_.Asks(state)) return kAsk;
      if (dfa_.Matches(state)) [[likely]]
        return at;
      return end;
    }
    if (dfa_.Matches(state)) end = at;
    const size_t run_begin = at + next.size_bytes;
    const size_t run = run_of_[state];
    if (run == 0 || run_begin >= text.size() || !IsAscii(text[run_begin])) {
      continue;
    }
    // The first has its own place: where that is foreseen, no look at its
    // characters waits for the state.
    size_t run_end;
    bool is_whole;
    if (run == 1) [[likely]] {
      run_end = first_run_.characters.EndOfRun(text, run_begin);
      is_whole = first_run_.is_whole;
    } else {
      run_end = runs_[run].characters.EndOfRun(text, run_begin);
      is_whole = runs_[run].is_whole;
    }
    if (run_end > run_begin) {
      if (is_whole && run_end < text.size() && IsAscii(text[run_end])) {
        return run_end;
      }
      state = runs_[run].to;
      at = run_end - 1;
      next.size_bytes = 1;
      if (dfa_.Matches(state)) end = at;
    }
  }
}

StatusOr<size_t> DfaPattern::Find(std::string_view text, size_t from,
                                  std::span<Found> found) const {
  uint32_t steps = Pcre2Pattern::kMaxUnusualSteps;
  size_t count = 0;
  while (from < text.size() && count < found.size()) {
    if (never_begin_.Has(text[from])) {
      from = never_begin_.EndOfRun(text, from + 1);
      continue;
    }
    if (never_before_.Has(text[from]) && from + 1 < text.size() &&
        never_before_.Has(text[from + 1])) {
      from = never_before_.EndOfRun(text, from + 2) - 1;
    }
    const size_t end = EndOfMatch(text, from);
    if (end == from) {
      from = SkipCharacters(text, from, 1);
      continue;
    }
    if (end == kAsk) {
      PENSTOCK_ASSIGN_OR_RETURN(
          const size_t some,
          asked_->FindWithin(steps, text, from, found.subspan(count, 1)));
      if (some == 0) break;
      from = found[count++].end;
      continue;
    }
    found[count++] = {from, end};
    from = end;
  }
  return count;
}

}  // namespace penstock
