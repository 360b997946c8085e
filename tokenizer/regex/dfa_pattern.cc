#include "tokenizer/regex/dfa_pattern.h"

#include "formats/files/status_or.h"
#include "tokenizer/regex/regex_chars.h"
#include "tokenizer/regex/regex_facts.h"
#include "tokenizer/regex/regex_parser.h"
#include "tokenizer/regex/regex_program.h"

namespace penstock {

StatusOr<std::unique_ptr<const TextPattern>> DfaPattern::Make(
    std::string_view regex, RegexSyntax syntax) {
  PENSTOCK_ASSIGN_OR_RETURN(const ParsedRegex parsed,
                            ParseRegex(regex, syntax));
  if (CanBeEmpty(parsed.root)) return RegexLacks("a match that may be empty");
  PENSTOCK_ASSIGN_OR_RETURN(SymbolAlphabet alphabet,
                            SymbolAlphabet::Make(parsed.sets));
  PENSTOCK_ASSIGN_OR_RETURN(const RegexProgram program,
                            CompileRegex(parsed, alphabet));
  PENSTOCK_ASSIGN_OR_RETURN(SymbolDfa dfa,
                            SymbolDfa::Make(program, alphabet.boundary() + 1));
  std::unique_ptr<const Pcre2Pattern> asked;
  if (program.asks) {
    PENSTOCK_ASSIGN_OR_RETURN(asked, Pcre2Pattern::Make(regex, syntax));
  }
  return std::unique_ptr<const TextPattern>(
      new DfaPattern(std::move(alphabet), std::move(dfa), std::move(asked)));
}

size_t DfaPattern::EndOfMatch(std::string_view text, size_t begin) const {
  size_t before = alphabet_.boundary();
  if (dfa_.looks_behind() && begin > 0) {
    size_t last = SkipBack(text, begin, 1);
    before = alphabet_.Next(text, last);
  }
  SymbolDfa::State state = dfa_.Begin(before);
  size_t end = begin;
  for (size_t at = begin;;) {
    size_t next = at;
    const size_t symbol =
        at == text.size() ? alphabet_.boundary() : alphabet_.Next(text, next);
    state = dfa_.Move(state, symbol);
    if (dfa_.Matches(state)) end = at;
    if (dfa_.IsDead(state)) return dfa_.Asks(state) ? kAsk : end;
    at = next;
  }
}

StatusOr<size_t> DfaPattern::Find(std::string_view text, size_t from,
                                  std::span<Found> found) const {
  uint32_t steps = Pcre2Pattern::kMaxUnusualSteps;
  size_t count = 0;
  while (from < text.size() && count < found.size()) {
    Found match = {from, EndOfMatch(text, from)};
    if (match.end == from) {
      from = SkipCharacters(text, from, 1);
      continue;
    }
    if (match.end == kAsk) {
      PENSTOCK_ASSIGN_OR_RETURN(
          const size_t some,
          asked_->FindWithin(steps, text, from, {&match, 1}));
      if (some == 0) break;
    }
    found[count++] = match;
    from = match.end;
  }
  return count;
}

}  // namespace penstock
