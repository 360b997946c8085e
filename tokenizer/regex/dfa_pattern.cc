#include "tokenizer/regex/dfa_pattern.h"

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
  const std::vector<bool> last = dfa_.LastSymbols();
  for (size_t c = 0; c < may_begin_.size(); ++c) {
    const char character = static_cast<char>(c);
    const size_t symbol = alphabet_.At({&character, 1}, 0).symbol;
    may_begin_[c] = dfa_.MayBegin(symbol);
    may_end_[c] = asked_ != nullptr || last[symbol];
  }
}

size_t DfaPattern::EndOfMatch(std::string_view text, size_t begin) const {
  const auto boundary = static_cast<uint32_t>(alphabet_.boundary());
  size_t before = boundary;
  if (dfa_.looks_behind() && begin > 0) {
    before = alphabet_.At(text, SkipBack(text, begin, 1)).symbol;
  }
  SymbolDfa::State state = dfa_.Begin(before);
  size_t end = begin;
  size_t at = begin;
  for (SymbolAlphabet::Symbol next;; at += next.size_bytes) {
    next = at < text.size() ? alphabet_.At(text, at)
                            : SymbolAlphabet::Symbol{boundary, 0};
    state = dfa_.Move(state, next.symbol);
    if (dfa_.Matches(state)) end = at;
    if (dfa_.IsDead(state)) return dfa_.Asks(state) ? kAsk : end;
  }
}

StatusOr<size_t> DfaPattern::Find(std::string_view text, size_t from,
                                  std::span<Found> found) const {
  uint32_t steps = Pcre2Pattern::kMaxUnusualSteps;
  size_t count = 0;
  while (from < text.size() && count < found.size()) {
    const auto byte = static_cast<unsigned char>(text[from]);
    if (byte < may_begin_.size() && !may_begin_[byte]) {
      ++from;
      continue;
    }
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
