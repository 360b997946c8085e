// Spells a regular expression so that RE2 and PCRE2 both read it as meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tokenizer/regex/regex_node.h"

namespace penstock {

// No engine is given more than this. Each \p{L} has 14 KB in RE2's spelling.
inline constexpr size_t kMaxSpellingBytes = 1 << 20;

// `sets[i]` is how the engine spells set i. Captures nothing. RE2 knows all
// that is regular (see regex_facts.h), PCRE2 all.
std::string WriteRegex(const RegexNode& node,
                       std::span<const std::string> sets);

}  // namespace penstock
