// Translates regular expressions from Oniguruma's syntax (Ruby's) to RE2's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace penstock {

struct TranslatedRegex {
  std::string re2;
  // Set where the expression ends in `|\s+(?!\S)|\s+`, for which `re2` has
  // `|\s+`: the alternatives before that. A match that they do not make at the
  // same place is a run of spaces, and gives its last character back unless it
  // is one character or ends the text.
  std::optional<std::string> before_spaces;
};

// Translates what means the same in both: literals, classes, groups,
// alternatives, greedy and lazy repetition, (?i:...) around ASCII characters,
// \s \d \p{L} and their kin, whose
// characters are spelled out by our tables of Unicode 16.0, the version of the
// reference's Oniguruma.
//
// Errors:  kUnimplemented naming what has no exact translation: look-around,
//          anchors, back references, possessive repetition, \w, scripts, ...
absl::StatusOr<TranslatedRegex> TranslateOnigToRe2(std::string_view regex);

}  // namespace penstock
