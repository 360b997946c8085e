// Loads .tiktoken files: one "base64-of-token rank" a line.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/special_tokens.h"

namespace penstock {

// What the file does not say.
struct TiktokenRules {
  // One of PatternNames(), for its expression and its special tokens. Empty
  // where `regex` is given.
  std::string pattern;
  // The expression that cuts text. Text that it does not match is left out.
  std::string regex;
  // Instead of the pattern's.
  std::vector<SpecialToken> specials = {};
};

// `name` is the file's, for messages.
//
// Ids are tiktoken's: any two neighbours whose concatenation is a token merge,
// and a piece that is a token is that token.
// Errors:  kDataLoss naming file and line for a line that is not base64 and a
//          number, a token or rank given twice, and naming what is missing
//          where one of the 256 bytes or a rank has no line; kInvalidArgument
//          for a pattern that is not known, special tokens without text or
//          given twice, or ids of theirs that the file uses;
//          kUnimplemented for a regex that we cannot match exactly;
//          kResourceExhausted for a token above 1024 bytes or a rank
//          above kMaxTokenId.
StatusOr<std::shared_ptr<const Tokenizer>> ParseTiktoken(
    std::string_view bytes, const std::string& name, TiktokenRules rules);

// By a named pattern.
inline StatusOr<std::shared_ptr<const Tokenizer>> ParseTiktoken(
    std::string_view bytes, const std::string& name,
    const std::string& pattern) {
  return ParseTiktoken(bytes, name, TiktokenRules{.pattern = pattern});
}

}  // namespace penstock
