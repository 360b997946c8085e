// Loads .tiktoken files: one "base64-of-token rank" a line.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "tokenizer/tokenizer.h"

namespace penstock {

// `name` is the file's, for messages. `pattern` is one of PatternNames(); it
// also gives the special tokens, which the file does not hold.
//
// Ids are tiktoken's: any two neighbours whose concatenation is a token merge,
// and a piece that is a token is that token.
// Errors:  kDataLoss naming file and line for a line that is not base64 and a
//          number, a token or rank given twice, and naming what is missing
//          where one of the 256 bytes or a rank has no line; kInvalidArgument
//          for a pattern that is not known or whose special tokens' ids the
//          file uses; kResourceExhausted for a token above 1024 bytes or a rank
//          above kMaxTokenId.
absl::StatusOr<std::shared_ptr<const Tokenizer>> ParseTiktoken(
    std::string_view bytes, const std::string& name,
    const std::string& pattern);

}  // namespace penstock
