// The one file that knows every engine for patterns.
#pragma once

#include <memory>
#include <string_view>

#include "formats/files/status_or.h"
#include "tokenizer/regex/regex_properties.h"
#include "tokenizer/regex/text_pattern.h"

namespace penstock {

// A scanner where the expression is known; else RE2 where it can match it, else
// PCRE2.
// Errors:  kUnimplemented naming the expression and what in it we cannot match
//          exactly as the reference does.
StatusOr<std::unique_ptr<const TextPattern>> MakeRegexPattern(
    std::string_view regex, RegexSyntax syntax);

}  // namespace penstock
