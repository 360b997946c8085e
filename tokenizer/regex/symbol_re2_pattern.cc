#include "tokenizer/regex/symbol_re2_pattern.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/regex/regex_chars.h"
#include "tokenizer/regex/regex_facts.h"
#include "tokenizer/regex/regex_parser.h"
#include "tokenizer/regex/regex_writer.h"

namespace penstock {
namespace {

constexpr size_t kLeastSymbols = 256;
// Of characters for each match that is asked for.
constexpr size_t kSymbolsPerMatch = 6;

StatusOr<std::unique_ptr<const RE2>> CompileForSymbols(
    const std::string& spelled) {
  if (spelled.size() > kMaxSpellingBytes) return RegexLacks("that much");
  RE2::Options options(RE2::Quiet);
  options.set_encoding(RE2::Options::EncodingLatin1);
  options.set_never_capture(true);
  auto compiled = std::make_unique<const RE2>(spelled, options);
  if (!compiled->ok()) return UnimplementedError(compiled->error());
  return compiled;
}

// `before`, or else a run of spaces: `sets` get the set of those.
RegexNode OrSpaces(RegexNode before, std::vector<CharSet>& sets) {
  RegexNode run = {.kind = RegexKind::kRepeat, .least = 1};
  run.children = {{.kind = RegexKind::kChars, .set = sets.size()}};
  sets.push_back(CharSet::Spaces());
  RegexNode either = {.kind = RegexKind::kAlternatives};
  either.children = {std::move(before), std::move(run)};
  return either;
}

}  // namespace

SymbolRe2Pattern::SymbolRe2Pattern(SymbolAlphabet alphabet)
    : alphabet_(std::move(alphabet)) {}

SymbolRe2Pattern::~SymbolRe2Pattern() = default;

StatusOr<std::unique_ptr<const TextPattern>> SymbolRe2Pattern::Make(
    std::string_view regex, RegexSyntax syntax) {
  constexpr std::string_view kSpaces = R"(|\s+(?!\S)|\s+)";
  const bool gives_back = regex.ends_with(kSpaces);
  if (gives_back) regex.remove_suffix(kSpaces.size());
  PENSTOCK_ASSIGN_OR_RETURN(ParsedRegex parsed, ParseRegex(regex, syntax));
  if (!IsRegular(parsed.root)) return RegexLacks("what looks around");
  if (CanBeEmpty(parsed.root)) {
    return RegexLacks("a match that may be empty");
  }
  const RegexNode all =
      gives_back ? OrSpaces(parsed.root, parsed.sets) : parsed.root;
  PENSTOCK_ASSIGN_OR_RETURN(SymbolAlphabet alphabet,
                            SymbolAlphabet::Make(parsed.sets));
  std::unique_ptr<SymbolRe2Pattern> pattern(
      new SymbolRe2Pattern(std::move(alphabet)));
  const auto spelled = [&](const RegexNode& node) {
    return WriteRegex(node, pattern->alphabet_.classes());
  };
  PENSTOCK_ASSIGN_OR_RETURN(pattern->regex_, CompileForSymbols(spelled(all)));
  PENSTOCK_ASSIGN_OR_RETURN(
      pattern->beginnings_,
      CompileForSymbols("(?:" + spelled(BeginningsOf(all)) + ")\\z"));
  if (gives_back) {
    PENSTOCK_ASSIGN_OR_RETURN(pattern->before_spaces_,
                              CompileForSymbols(spelled(parsed.root)));
  }
  return pattern;
}

size_t SymbolRe2Pattern::SureEnd(const SymbolWindow& window) const {
  const re2::StringPiece all(window.symbols);
  re2::StringPiece rest;
  if (window.ends_text || !beginnings_->Match(all, window.at, all.size(),
                                              RE2::UNANCHORED, &rest, 1)) {
    return all.size() + 1;
  }
  return rest.data() - all.data();
}

size_t SymbolRe2Pattern::EndOf(const SymbolWindow& window, size_t begin,
                               size_t end) const {
  const re2::StringPiece all(window.symbols);
  if (before_spaces_ == nullptr || end == all.size() || end - begin == 1 ||
      before_spaces_->Match(all, begin, all.size(), RE2::ANCHOR_START, nullptr,
                            0)) {
    return end;
  }
  return end - 1;
}

StatusOr<size_t> SymbolRe2Pattern::Find(std::string_view text, size_t from,
                                        std::span<Found> found) const {
  const ThreadSlots<std::string>::Lease symbols(symbols_);
  const size_t usual = std::max(kLeastSymbols, found.size() * kSymbolsPerMatch);
  size_t size = usual;
  SymbolWindow window = {text, 0, alphabet_, *symbols};
  window.MoveTo(from, size);
  size_t sure_end = SureEnd(window);
  size_t count = 0;
  while (count < found.size()) {
    const re2::StringPiece all(window.symbols);
    re2::StringPiece match;
    // Most matches begin where the one before ended, which is found faster.
    const bool is_match =
        regex_->Match(all, window.at, all.size(), RE2::ANCHOR_START, &match,
                      1) ||
        regex_->Match(all, window.at, all.size(), RE2::UNANCHORED, &match, 1);
    const size_t place = is_match ? match.data() - all.data() : all.size();
    if (place < sure_end) {
      if (!is_match) break;  // the text ends
      const size_t end = EndOf(window, place, place + match.size());
      const size_t begin_offset = window.OffsetAt(place);
      found[count++] = {begin_offset, window.OffsetAt(end)};
      continue;
    }
    // Before sure_end nothing else begins; what does there needs more text.
    const size_t next = std::max(sure_end, window.at);
    size = next == 0 ? size * 2 : usual;
    window.MoveTo(window.OffsetAt(next), size);
    sure_end = SureEnd(window);
  }
  return count;
}

}  // namespace penstock
