#include "tokenizer/patterns/character_pretokenizer.h"

#include "tokenizer/unicode/byte_alphabet.h"
#include "tokenizer/unicode/char_bytes.h"
#include "tokenizer/unicode/hf_unicode.h"
#include "tokenizer/unicode/utf8.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

using Kind = CharacterPreTokenizer::Kind;

bool IsOfKind(Kind kind, uint32_t c) {
  const uint8_t bit = kind == Kind::kPunctuation ? hf_unicode::kPunctuation
                                                 : hf_unicode::kNumber;
  return (hf_unicode::BitsOf(c) & bit) != 0;
}

CharBytes CutCharsOf(Kind kind) {
  if (kind != Kind::kSpelledNumbers) {
    return BytesOfChars([kind](uint32_t c) { return IsOfKind(kind, c); });
  }
  CharBytes bytes;
  for (size_t byte = 0; byte < bytes.size(); ++byte) {
    bytes[byte] = IsOfKind(kind, SpelledByte(static_cast<char>(byte)));
  }
  return bytes;
}

}  // namespace

CharacterPreTokenizer::CharacterPreTokenizer(Kind kind, Runs runs)
    : kind_(kind), runs_(runs), cut_chars_(CutCharsOf(kind)) {
  for (size_t c = 0; c < AsciiSet::kEnd; ++c) {
    (cut_chars_[c] ? narrow_ : others_).Add(c);
  }
}

std::string_view CharacterPreTokenizer::name() const {
  const bool alone = runs_ == Runs::kSplit;
  switch (kind_) {
    case Kind::kNumbers:
      return alone ? "numbers" : "runs of numbers";
    case Kind::kPunctuation:
      return alone ? "punctuation" : "runs of punctuation";
    case Kind::kSpelledNumbers:
      return alone ? "spelled numbers" : "runs of spelled numbers";
  }
  return "";
}

bool CharacterPreTokenizer::IsOne(std::string_view text, size_t& pos) const {
  const auto byte = static_cast<unsigned char>(text[pos]);
  if (byte < AsciiSet::kEnd || CutsCharacters()) {
    ++pos;
    return cut_chars_[byte];
  }
  // A byte that is not UTF-8 is none.
  if (Utf8SizeOfChar(text.data() + pos, text.data() + text.size()) == 0) {
    ++pos;
    return false;
  }
  return IsOfKind(kind_, NextChar(text, pos));
}

size_t CharacterPreTokenizer::EndOfRun(std::string_view text, size_t at,
                                       bool are) const {
  const AsciiSet& narrow = are ? narrow_ : others_;
  while (at < text.size()) {
    size_t next = at;
    if (static_cast<unsigned char>(text[at]) < AsciiSet::kEnd) {
      next = narrow.EndOfRun(text, at);
      if (next == at) break;
    } else if (IsOne(text, next) != are) {
      break;
    }
    at = next;
  }
  return at;
}

size_t CharacterPreTokenizer::Split(std::string_view text, size_t begin,
                                    std::span<size_t> ends) const {
  size_t count = 0;
  while (begin < text.size() && count < ends.size()) {
    const bool is_one = IsOne(text, begin);
    if (!is_one || runs_ == Runs::kKept) begin = EndOfRun(text, begin, is_one);
    ends[count++] = begin;
  }
  return count;
}

}  // namespace penstock
