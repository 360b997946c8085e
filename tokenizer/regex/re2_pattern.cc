#include "tokenizer/regex/re2_pattern.h"

#include <re2/re2.h>

#include <string>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/regex/regex_chars.h"
#include "tokenizer/regex/regex_facts.h"
#include "tokenizer/regex/regex_parser.h"
#include "tokenizer/regex/regex_writer.h"
#include "tokenizer/regex/symbol_alphabet.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

using Re2Or = StatusOr<std::unique_ptr<const RE2>>;

enum class Empty { kAllowed, kRefused };

struct Re2Spelling {
  std::string text;
  bool may_be_empty;
};

StatusOr<Re2Spelling> Spelled(std::string_view regex, RegexSyntax syntax,
                              Empty empty) {
  PENSTOCK_ASSIGN_OR_RETURN(const ParsedRegex parsed,
                            ParseRegex(regex, syntax));
  if (!IsRegular(parsed.root)) return RegexLacks("what looks around");
  const bool may_be_empty = CanBeEmpty(parsed.root);
  if (empty == Empty::kRefused && may_be_empty) {
    return RegexLacks("a match that may be empty");
  }
  std::vector<std::string> sets;
  for (const CharSet& set : parsed.sets) sets.push_back(set.ToRe2());
  std::string spelled = WriteRegex(parsed.root, sets);
  if (spelled.size() > kMaxSpellingBytes) return RegexLacks("that much");
  return Re2Spelling{std::move(spelled), may_be_empty};
}

Re2Or Compile(const std::string& spelled) {
  RE2::Options options(RE2::Quiet);
  options.set_never_capture(true);
  auto compiled = std::make_unique<const RE2>(spelled, options);
  if (!compiled->ok()) return UnimplementedError(compiled->error());
  return compiled;
}

}  // namespace

Re2Pattern::Re2Pattern(std::unique_ptr<const RE2> regex, bool may_be_empty,
                       std::unique_ptr<const RE2> before_spaces)
    : regex_(std::move(regex)),
      may_be_empty_(may_be_empty),
      before_spaces_(std::move(before_spaces)) {}

Re2Pattern::~Re2Pattern() = default;

StatusOr<std::unique_ptr<const TextPattern>> Re2Pattern::Make(
    std::string_view regex, RegexSyntax syntax) {
  constexpr std::string_view kSpaces = R"(|\s+(?!\S)|\s+)";
  std::unique_ptr<const RE2> before_spaces;
  Re2Spelling spelled;
  if (regex.ends_with(kSpaces)) {
    regex.remove_suffix(kSpaces.size());
    PENSTOCK_ASSIGN_OR_RETURN(spelled, Spelled(regex, syntax, Empty::kRefused));
    PENSTOCK_ASSIGN_OR_RETURN(before_spaces, Compile(spelled.text));
    spelled.text.append("|").append(CharSet::Spaces().ToRe2()).append("+");
  } else {
    PENSTOCK_ASSIGN_OR_RETURN(
        spelled, Spelled(regex, syntax,
                         syntax == RegexSyntax::kOniguruma ? Empty::kAllowed
                                                           : Empty::kRefused));
  }
  PENSTOCK_ASSIGN_OR_RETURN(auto compiled, Compile(spelled.text));
  return std::unique_ptr<const TextPattern>(new Re2Pattern(
      std::move(compiled), spelled.may_be_empty, std::move(before_spaces)));
}

StatusOr<size_t> Re2Pattern::Find(std::string_view text, size_t from,
                                  std::span<Found> found) const {
  const re2::StringPiece all(text.data(), text.size());
  re2::StringPiece match;
  size_t count = 0;
  size_t last_end = from == 0 ? std::string_view::npos : from;
  while (count < found.size() && from <= text.size() &&
         regex_->Match(all, from, text.size(), RE2::UNANCHORED, &match, 1)) {
    const size_t begin = match.data() - text.data();
    const size_t end = EndOf(text, begin, begin + match.size());
    if (begin < end || end != last_end) found[count++] = {begin, end};
    from = last_end = end;
    if (begin < end) continue;
    if (end == text.size()) break;
    from = SkipCharacters(text, end, 1);
  }
  return count;
}

// Gives the last space of a run back to what follows.
size_t Re2Pattern::EndOf(std::string_view text, size_t begin,
                         size_t end) const {
  if (before_spaces_ == nullptr || end == text.size()) return end;
  const size_t last = PreviousChar(text, end);
  if (last == begin ||
      before_spaces_->Match({text.data(), text.size()}, begin, text.size(),
                            RE2::ANCHOR_START, nullptr, 0)) {
    return end;
  }
  return last;
}

}  // namespace penstock
