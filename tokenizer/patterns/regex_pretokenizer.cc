#include "tokenizer/patterns/regex_pretokenizer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/patterns/regex_pattern.h"
#include "tokenizer/regex/regex_chars.h"

namespace penstock {

namespace {

std::string_view WordOf(RegexRules rules) {
  switch (rules) {
    case RegexRules::kTiktoken:
      return "";
    case RegexRules::kIsolated:
      return "isolated ";
    case RegexRules::kInverted:
      return "inverted ";
  }
  return "";
}

}  // namespace

RegexPreTokenizer::RegexPreTokenizer(std::string_view regex, RegexRules rules,
                                     std::unique_ptr<const TextPattern> pattern)
    : rules_(rules),
      name_(std::string(WordOf(rules)).append(regex)),
      pattern_(std::move(pattern)) {}

StatusOr<std::unique_ptr<const PreTokenizer>> RegexPreTokenizer::Make(
    std::string_view regex, RegexRules rules) {
  const auto syntax = rules == RegexRules::kTiktoken ? RegexSyntax::kFancyRegex
                                                     : RegexSyntax::kOniguruma;
  PENSTOCK_ASSIGN_OR_RETURN(auto pattern, MakeRegexPattern(regex, syntax));
  if (pattern->MayBeEmpty()) return RegexLacks("a match that may be empty");
  return std::unique_ptr<const PreTokenizer>(
      new RegexPreTokenizer(regex, rules, std::move(pattern)));
}

std::string_view RegexPreTokenizer::regex() const {
  return std::string_view(name_).substr(WordOf(rules_).size());
}

size_t RegexPreTokenizer::Split(std::string_view text, size_t begin,
                                std::span<size_t> ends) const {
  const size_t unmatched = LeavesTextOut() ? kLeftOut : 0;
  std::array<TextPattern::Found, 256> matches;
  size_t count = 0;
  while (begin < text.size() && count < ends.size()) {
    // There may be a gap before each match.
    const size_t wanted =
        std::clamp<size_t>((ends.size() - count) / 2, 1, matches.size());
    const auto found =
        pattern_->Find(text, begin, std::span(matches).first(wanted));
    if (!found.ok()) break;
    for (const auto& match : std::span(matches).first(*found)) {
      // Without a branch: whether there is a gap is hard to foresee.
      ends[count] = match.begin | unmatched;
      count += begin < match.begin;
      begin = match.begin;
      if (count < ends.size()) ends[count++] = begin = match.end;
    }
    if (*found < wanted && begin < text.size() && count < ends.size()) {
      ends[count++] = text.size() | unmatched;
      begin = text.size();
    }
  }
  return count;
}

Status RegexPreTokenizer::ErrorAt(std::string_view text, size_t begin) const {
  TextPattern::Found one;
  return pattern_->Find(text, begin, {&one, 1}).status();
}

}  // namespace penstock
