// SafeCut of bpe_tokenizer.h.
#include <algorithm>

#include "tokenizer/bpe/bpe_tokenizer.h"
#include "tokenizer/unicode/char_scan.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {

bool BpeTokenizer::CanCutAt(std::string_view text, size_t place) const {
  const Char c = CharAt(text, place);
  if (c.code_point == kNotACharacter || c.code_point == '\'' ||
      (c.char_class & (kLetter | kMark)) != 0 ||
      (parts_.add_prefix_space && c.code_point != ' ')) {
    return false;
  }
  size_t last = place - 1;
  while (last > 0 && place - last < 4 && IsUtf8Continuation(text[last])) --last;
  const Char before = CharAt(text, last);
  return (before.char_class & kLetter) != 0 &&
         last + before.size_bytes == place &&
         std::none_of(passes_.begin(), passes_.end(), [&](const auto& tokens) {
           return tokens.MayCross(text, place);
         });
}

size_t BpeTokenizer::SafeCut(std::string_view text) const {
  if (parts_.pretokenizer == nullptr ||
      !parts_.pretokenizer->EndsBehindLetters()) {
    return 0;
  }
  // The last bytes may be of a character that is not whole.
  size_t place = text.size() < 4 ? 0 : text.size() - 4;
  while (place > 0 &&
         (IsUtf8Continuation(text[place]) || !CanCutAt(text, place))) {
    --place;
  }
  return place;
}

}  // namespace penstock
