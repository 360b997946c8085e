// A regular expression as a tree, once the differences between the references'
// syntaxes are gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tokenizer/unicode/char_set.h"

namespace penstock {

enum class RegexKind {
  kChars,         // one character out of a set
  kSequence,      // its children, one after the other; none: the empty text
  kAlternatives,  // the first of its children that lets the rest match
  kRepeat,        // its only child, `least` to `most` times
  kAtomic,        // its only child, which then keeps its first match
  kAhead,         // a place before which its only child matches
  kNotAhead,      // ... does not match
  kBehind,        // a place behind which its only child matches
  kNotBehind,     // ... does not match
  kTextBegin,     // the begin of the text
  kTextEnd,       // the end of the text
};

struct RegexNode {
  RegexKind kind = RegexKind::kSequence;
  std::vector<RegexNode> children = {};
  size_t set = 0;  // of kChars: its place in ParsedRegex::sets
  // Of kRepeat.
  uint32_t least = 0;
  std::optional<uint32_t> most = std::nullopt;  // nullopt: any number
  bool lazy = false;
};

struct ParsedRegex {
  RegexNode root;
  std::vector<CharSet> sets;  // all different
};

}  // namespace penstock
