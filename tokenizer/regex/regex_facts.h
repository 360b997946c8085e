// What can be said of a regular expression without running it.
#pragma once

#include <cstddef>
#include <optional>

#include "tokenizer/regex/regex_node.h"

namespace penstock {

// Whether it can match the empty text.
bool CanBeEmpty(const RegexNode& node);

// The characters of each match, where all have as many.
std::optional<size_t> WidthOf(const RegexNode& node);

// How many characters before a match it may look at: no fewer than it does.
size_t ReachBehind(const RegexNode& node);

// Whether it has nothing but characters, sequences, alternatives and
// repetition, so that an automaton can match it.
bool IsRegular(const RegexNode& node);

}  // namespace penstock
