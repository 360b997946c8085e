#include "tokenizer/text_pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <array>
#include <string>
#include <utility>

#include "formats/status.h"
#include "tokenizer/onig_to_re2.h"
#include "tokenizer/patterns.h"
#include "tokenizer/valid_utf8.h"

namespace penstock {
namespace {

class LiteralPattern final : public TextPattern {
 public:
  explicit LiteralPattern(std::string_view literal) : literal_(literal) {}

  void Match(std::string_view text,
             std::vector<MatchedPart>& parts) const override {
    parts.clear();
    size_t gap = 0;
    while (true) {
      const size_t found = text.find(literal_, gap);
      if (found == std::string_view::npos) break;
      if (gap < found) parts.push_back({gap, found, false});
      gap = found + literal_.size();
      parts.push_back({found, gap, true});
    }
    if (gap < text.size()) parts.push_back({gap, text.size(), false});
  }

  std::optional<size_t> MatchSize() const override { return literal_.size(); }

 private:
  const std::string literal_;
};

// A pattern that leaves nothing unmatched.
class ScannerPattern final : public TextPattern {
 public:
  explicit ScannerPattern(std::unique_ptr<const PreTokenizer> scanner)
      : scanner_(std::move(scanner)) {}

  void Match(std::string_view text,
             std::vector<MatchedPart>& parts) const override {
    parts.clear();
    std::array<size_t, 256> ends;
    size_t begin = 0;
    while (begin < text.size()) {
      const size_t count = scanner_->Split(text, begin, ends);
      for (size_t i = 0; i < count; ++i) {
        parts.push_back({begin, ends[i], true});
        begin = ends[i];
      }
    }
  }

 private:
  const std::unique_ptr<const PreTokenizer> scanner_;
};

// Of what onig_to_re2.h translated.
class Re2Pattern final : public TextPattern {
 public:
  Re2Pattern(std::unique_ptr<const RE2> regex,
             std::unique_ptr<const RE2> before_spaces)
      : regex_(std::move(regex)), before_spaces_(std::move(before_spaces)) {}

  void Match(std::string_view text,
             std::vector<MatchedPart>& parts) const override {
    parts.clear();
    const re2::StringPiece piece(text.data(), text.size());
    size_t gap = 0;
    re2::StringPiece match;
    while (gap < text.size() &&
           regex_->Match(piece, gap, text.size(), RE2::UNANCHORED, &match, 1)) {
      const size_t begin = match.data() - text.data();
      const size_t end = EndOf(text, begin, begin + match.size());
      if (gap < begin) parts.push_back({gap, begin, false});
      parts.push_back({begin, end, true});
      gap = end;
    }
    if (gap < text.size()) parts.push_back({gap, text.size(), false});
  }

 private:
  // Gives the last space of a run back to what follows.
  size_t EndOf(std::string_view text, size_t begin, size_t end) const {
    if (before_spaces_ == nullptr || end == text.size()) return end;
    const size_t last = PreviousChar(text, end);
    if (last == begin ||
        before_spaces_->Match({text.data(), text.size()}, begin, text.size(),
                              RE2::ANCHOR_START, nullptr, 0)) {
      return end;
    }
    return last;
  }

  const std::unique_ptr<const RE2> regex_;
  const std::unique_ptr<const RE2> before_spaces_;  // null: no such run
};

absl::StatusOr<std::unique_ptr<const RE2>> Compile(const std::string& re2) {
  RE2::Options options(RE2::Quiet);
  options.set_never_capture(true);
  auto compiled = std::make_unique<const RE2>(re2, options);
  if (!compiled->ok()) return absl::UnimplementedError(compiled->error());
  if (RE2::PartialMatch("", *compiled)) {
    return absl::UnimplementedError("a match may be empty");
  }
  return compiled;
}

absl::StatusOr<std::unique_ptr<const TextPattern>> MakeRe2Pattern(
    std::string_view regex) {
  PENSTOCK_ASSIGN_OR_RETURN(const TranslatedRegex translated,
                            TranslateOnigToRe2(regex));
  PENSTOCK_ASSIGN_OR_RETURN(auto compiled, Compile(translated.re2));
  std::unique_ptr<const RE2> before_spaces;
  if (translated.before_spaces) {
    PENSTOCK_ASSIGN_OR_RETURN(before_spaces,
                              Compile(*translated.before_spaces));
  }
  return std::make_unique<Re2Pattern>(std::move(compiled),
                                      std::move(before_spaces));
}

}  // namespace

absl::StatusOr<std::unique_ptr<const TextPattern>> MakeLiteralPattern(
    std::string_view literal) {
  if (literal.empty()) {
    return absl::UnimplementedError("an empty pattern, which matches anywhere");
  }
  return std::make_unique<LiteralPattern>(literal);
}

absl::StatusOr<std::unique_ptr<const TextPattern>> MakeRegexPattern(
    std::string_view regex) {
  if (auto scanner = PreTokenizerByRegex(regex)) {
    return std::make_unique<ScannerPattern>(std::move(scanner));
  }
  auto pattern = MakeRe2Pattern(regex);
  if (pattern.ok()) return pattern;
  return Annotate(pattern.status(), fmt::format("the pattern {}", regex));
}

}  // namespace penstock
