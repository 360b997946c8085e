// Reads how often a part of a regular expression is repeated.
#pragma once

#include <cstddef>
#include <string_view>

#include "formats/files/status_or.h"
#include "tokenizer/regex/regex_node.h"
#include "tokenizer/regex/regex_properties.h"

namespace penstock {

// `atom`, which `regex` has before `pos`, as often as it says there: *, +, ?,
// {2}, {2,}, {2,3}, each maybe lazy or possessive; itself where it says
// nothing. `pos` moves behind that.
//
// Errors:  kUnimplemented where the references differ: what may be empty, or
//          repetition of repetition without a group.
StatusOr<RegexNode> ReadRegexRepeat(RegexNode atom, std::string_view regex,
                                    size_t& pos, RegexSyntax syntax);

}  // namespace penstock
