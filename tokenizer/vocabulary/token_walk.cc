#include "tokenizer/vocabulary/token_walk.h"

#include <algorithm>

#include "tokenizer/unicode/char_scan.h"
#include "tokenizer/unicode/hf_unicode.h"

namespace penstock {
namespace {

bool Is(hf_unicode::Bits bits, const Char& c) {
  return c.code_point != kNotACharacter &&
         (hf_unicode::BitsOf(c.code_point) & bits) != 0;
}

bool StandsAlone(std::string_view text, size_t begin, size_t end) {
  const auto is_word = [](const Char& c) { return Is(hf_unicode::kWord, c); };
  return (begin == 0 || !is_word(CharBefore(text, begin))) &&
         (end == text.size() || !is_word(CharAt(text, end)));
}

size_t BeginOfSpaces(std::string_view text, size_t end, size_t limit) {
  while (end > limit) {
    const Char c = CharBefore(text, end);
    if (!Is(hf_unicode::kSpace, c)) break;
    end -= c.size_bytes;
  }
  return end;
}

size_t EndOfSpaces(std::string_view text, size_t begin) {
  while (begin < text.size()) {
    const Char c = CharAt(text, begin);
    if (!Is(hf_unicode::kSpace, c)) break;
    begin += c.size_bytes;
  }
  return begin;
}

}  // namespace

TokenWalk::Step TokenWalk::Next() {
  while (const auto match = tokens_.FindNext(text_, pos_)) {
    const SpecialToken& token = *match->token;
    pos_ = match->end;
    if (token.special && special_ == SpecialText::kAsText) continue;
    if (token.single_word && !StandsAlone(text_, match->begin, match->end)) {
      continue;
    }
    size_t begin = match->begin;
    size_t end = match->end;
    if (token.strip_left) {
      begin =
          std::max(BeginOfSpaces(text_, begin, std::min(begin, gap_)), gap_);
    }
    if (token.strip_right) end = EndOfSpaces(text_, end);
    // Stripping may have swallowed text that this match begins in: what was
    // swallowed then ends where the match does, as in the reference, and a
    // match that nothing is left of is dropped.
    end = std::max(end, begin);
    const Step step = {
        &token,       gap_,
        begin,        end,
        match->begin, token.special && special_ == SpecialText::kRefuse};
    gap_ = end;
    return step;
  }
  return {nullptr, gap_, text_.size(), text_.size(), text_.size(), false};
}

}  // namespace penstock
