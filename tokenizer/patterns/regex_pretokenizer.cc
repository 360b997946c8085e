#include "tokenizer/patterns/regex_pretokenizer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/patterns/regex_pattern.h"

namespace penstock {

StatusOr<std::unique_ptr<const PreTokenizer>> RegexPreTokenizer::Make(
    std::string_view regex) {
  PENSTOCK_ASSIGN_OR_RETURN(auto pattern,
                            MakeRegexPattern(regex, RegexSyntax::kFancyRegex));
  return std::unique_ptr<const PreTokenizer>(
      new RegexPreTokenizer(regex, std::move(pattern)));
}

size_t RegexPreTokenizer::Split(std::string_view text, size_t begin,
                                std::span<size_t> ends) const {
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
      if (begin < match.begin) {
        ends[count++] = match.begin | kLeftOut;
        begin = match.begin;
      }
      if (count < ends.size()) ends[count++] = begin = match.end;
    }
    if (*found < wanted && begin < text.size() && count < ends.size()) {
      ends[count++] = text.size() | kLeftOut;
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
