#include "tokenizer/patterns/regex_pattern.h"

#include <fmt/format.h>

#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/patterns/patterns.h"
#include "tokenizer/patterns/scanner_pattern.h"
#include "tokenizer/patterns/space_runs.h"
#include "tokenizer/regex/dfa_pattern.h"
#include "tokenizer/regex/pcre2_pattern.h"
#include "tokenizer/regex/re2_pattern.h"

namespace penstock {

StatusOr<std::unique_ptr<const TextPattern>> MakeRegexPattern(
    std::string_view regex, RegexSyntax syntax) {
  if (regex == SpaceRuns::kRegex) return std::make_unique<SpaceRuns>();
  auto scanner = syntax == RegexSyntax::kOniguruma
                     ? PreTokenizerByRegex(regex)
                     : PreTokenizerByTiktokenRegex(regex);
  if (scanner != nullptr) {
    return std::make_unique<ScannerPattern>(std::move(scanner));
  }
  if (auto quick = DfaPattern::Make(regex, syntax); quick.ok()) {
    return quick;
  }
  if (auto linear = Re2Pattern::Make(regex, syntax); linear.ok()) return linear;
  auto pattern = Pcre2Pattern::Make(regex, syntax);
  if (pattern.ok()) {
    return std::unique_ptr<const TextPattern>(*std::move(pattern));
  }
  // An expression from a file may be of any length.
  constexpr size_t kShown = 500;
  return Annotate(pattern.status(),
                  fmt::format("the pattern {}{}", regex.substr(0, kShown),
                              regex.size() > kShown ? "..." : ""));
}

}  // namespace penstock
