// Goes through a text from one special token to the next, as their flags have
// it.
#pragma once

#include <cstddef>
#include <string_view>

#include "tokenizer/interface/call_options.h"
#include "tokenizer/vocabulary/special_tokens.h"

namespace penstock {

// A match that its token's flags or the call refuse still uses up its text.
//
// The text need not be UTF-8: bytes that are not are neither space nor of a
// word.
class TokenWalk {
 public:
  // What it is given must outlive it.
  TokenWalk(const SpecialTokens& tokens, std::string_view text,
            SpecialText special)
      : tokens_(tokens), text_(text), special_(special) {}

  // Text from `gap` to `begin`, if that is behind it, and then the token with
  // the space that it strips: nothing where `begin` is `end`. Where one strips
  // the space that another begins in, they overlap.
  struct Step {
    const SpecialToken* token;  // null: the text's end
    size_t gap;
    size_t begin, end;
    size_t found;  // where the token's own text begins
    // SpecialText::kRefuse refuses it.
    bool refused;
  };
  // Not behind the text's end.
  Step Next();

 private:
  const SpecialTokens& tokens_;
  const std::string_view text_;
  const SpecialText special_;
  size_t gap_ = 0;  // where the token before ends, with what it strips
  size_t pos_ = 0;  // where it ends
};

}  // namespace penstock
