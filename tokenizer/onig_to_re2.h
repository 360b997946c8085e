// Translates regular expressions from Oniguruma's syntax (Ruby's) to RE2's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace penstock {

struct TranslatedRegex {
  std::string re2;
  // The expression ended in `\s+(?!\S)|\s+`, for which RE2 has `\s+`: a match
  // of White_Space alone that neither ends the text nor is one character gives
  // back its last character.
  bool gives_back_space = false;
};

// Translates what means the same in both: literals, classes, groups,
// alternatives, greedy and lazy repetition, \s \d \w \p{L} and their kin (with
// the Unicode of Oniguruma, by our own tables where RE2's are older).
//
// Errors:  kUnimplemented naming what has no exact translation: look-around,
//          back references, possessive repetition, case folding, ...
absl::StatusOr<TranslatedRegex> TranslateOnigToRe2(std::string_view regex);

// Whether text[begin, end) is White_Space alone.
bool IsAllSpaceRun(std::string_view text, size_t begin, size_t end);

}  // namespace penstock
