// The sets of characters that regular expressions have names for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tokenizer/unicode/char_set.h"

namespace penstock {

// Whose regular expressions: what they mean differs.
enum class RegexSyntax {
  kOniguruma,   // Hugging Face tokenizers
  kFancyRegex,  // tiktoken
};

// Unicode 16.0, the version of both references.
//
// Threads: one at a time.
// Cost:    some 30 us for a name that was not asked for before.
class RegexProperties {
 public:
  explicit RegexProperties(RegexSyntax syntax) : syntax_(syntax) {}

  // \w; Oniguruma's differs where it stands in a class.
  const CharSet& Word();
  const CharSet& WordInClass();
  // \d and \s.
  const CharSet& Digits();
  const CharSet& Spaces();
  // By General_Category ("L", "Lu", "Letter") or script ("Han"); null for a
  // name that is neither.
  const CharSet* Named(std::string_view name);

 private:
  std::optional<CharSet> Make(std::string_view name) const;

  const RegexSyntax syntax_;
  std::map<std::string, CharSet, std::less<>> known_;
};

}  // namespace penstock
