// SafeCut of bpe_tokenizer.h.
#include <algorithm>

#include "tokenizer/bpe/bpe_tokenizer.h"
#include "tokenizer/unicode/char_scan.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {

namespace {

// Whether a piece ends before it wherever it stands behind a letter.
bool BeginsPiece(const Char& c) {
  return c.code_point != kNotACharacter && c.code_point != '\'' &&
         (c.char_class & (kLetter | kMark)) == 0;
}

// Or a mark.
bool HasLetter(std::string_view text) {
  for (size_t pos = 0; pos < text.size();) {
    const Char c = CharAt(text, pos);
    if ((c.char_class & (kLetter | kMark)) != 0) return true;
    pos += c.size_bytes;
  }
  return false;
}

// Whether a piece ends behind a letter, and what is on both sides of it does
// not depend on the other.
bool EndsBehindLetters(const PreTokenizers& pretokenizers) {
  for (const auto& pretokenizer : pretokenizers) {
    // Then the next ones do not see both sides.
    if (pretokenizer->EndsBehindLetters()) return true;
    // Then the next one may end what reaches over.
    if (!pretokenizer->StopsBehindLetters()) return false;
  }
  return false;
}

}  // namespace

bool BpeTokenizer::CutsBehindLetters() const {
  if (!EndsBehindLetters(parts_.pretokenizers)) return false;
  return std::ranges::none_of(parts_.specials, [&](const SpecialToken& token) {
    // These look at, or take, what is behind them.
    if (token.single_word || token.strip_right) return true;
    // What a letter becomes ends with a letter or a mark, which may begin
    // a token that the text as it is does not show.
    return token.normalized && parts_.normalizer != nullptr &&
           HasLetter(token.text);
  });
}

size_t BpeTokenizer::SafeCut(std::string_view text) const {
  if (!cuts_behind_letters_) return 0;
  // The last bytes may be of a character that is not whole.
  size_t place = text.size() < 4 ? 0 : text.size() - 4;
  while (place > 0 && IsUtf8Continuation(text[place])) --place;
  if (place == 0) return 0;
  for (Char c = CharAt(text, place); place > 0;) {
    const Char before = CharBefore(text, place);
    if ((before.char_class & kLetter) != 0 && BeginsPiece(c) &&
        (!parts_.add_prefix_space || c.code_point == ' ') &&
        !raw_tokens_.MayCross(text, place) &&
        !normalized_tokens_.MayCross(text, place)) {
      return place;
    }
    c = before;
    place -= before.size_bytes;
  }
  return 0;
}

}  // namespace penstock
