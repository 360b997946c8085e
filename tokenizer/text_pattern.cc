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

  std::optional<Found> Next(std::string_view text, size_t from) const override {
    const size_t begin = text.find(literal_, from);
    if (begin == std::string_view::npos) return std::nullopt;
    return Found{begin, begin + literal_.size()};
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

  std::optional<Found> Next(std::string_view text, size_t from) const override {
    size_t end;
    if (scanner_->Split(text, from, {&end, 1}) == 0) return std::nullopt;
    return Found{from, end};
  }

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

  std::optional<Found> Next(std::string_view text, size_t from) const override {
    re2::StringPiece match;
    if (from >= text.size() ||
        !regex_->Match({text.data(), text.size()}, from, text.size(),
                       RE2::UNANCHORED, &match, 1)) {
      return std::nullopt;
    }
    const size_t begin = match.data() - text.data();
    return Found{begin, EndOf(text, begin, begin + match.size())};
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

void TextPattern::Match(std::string_view text,
                        std::vector<MatchedPart>& parts) const {
  parts.clear();
  size_t gap = 0;
  while (const std::optional<Found> found = Next(text, gap)) {
    if (gap < found->begin) parts.push_back({gap, found->begin, false});
    parts.push_back({found->begin, found->end, true});
    gap = found->end;
  }
  if (gap < text.size()) parts.push_back({gap, text.size(), false});
}

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
