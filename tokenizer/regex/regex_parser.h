// Reads regular expressions as the references do.
#pragma once

#include <string_view>

#include "formats/files/status_or.h"
#include "tokenizer/regex/regex_node.h"
#include "tokenizer/regex/regex_properties.h"

namespace penstock {

inline constexpr size_t kMaxRegexBytes = 16384;

// Takes only what is known to mean the same here: literals, classes, groups,
// alternatives, greedy, lazy and possessive repetition, look-around, atomic
// groups, anchors, borders of words, (?i) around ASCII characters. Anchors and
// borders become look-around.
//
// Errors:  kUnimplemented naming anything else; kInvalidArgument for more than
//          kMaxRegexBytes or what is not UTF-8.
StatusOr<ParsedRegex> ParseRegex(std::string_view regex, RegexSyntax syntax);

}  // namespace penstock
