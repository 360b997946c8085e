#include "tokenizer/interface/token_origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tokenizer/unicode/byte_alphabet.h"
#include "tokenizer/unicode/hf_unicode.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

bool IsSpelledSpace(uint32_t c) {
  return c == SpelledByte(' ') ||
         (hf_unicode::BitsOf(c) & hf_unicode::kSpace) != 0;
}

void TrimRange(uint32_t leading, uint32_t trailing, bool first,
               bool add_prefix_space, uint32_t& begin, uint32_t& end) {
  if (leading > 0) {
    if ((first || begin == 0) && add_prefix_space && leading == 1) leading = 0;
    begin = std::min(begin + leading, end);
  }
  if (trailing > 0 && end >= trailing) end = std::max(end - trailing, begin);
}

}  // namespace

Status CheckSizeForOrigins(std::string_view text) {
  if (text.size() < 0xffffffff) return OkStatus();
  return InvalidArgumentError(
      fmt::format("{} bytes of text; split texts of 4 GiB or more where "
                  "offsets are wanted",
                  text.size()));
}

void FillCharacterOffsets(std::string_view text,
                          std::span<TokenOrigin> origins) {
  std::vector<uint32_t> char_of(text.size());  // by byte
  uint32_t count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!IsUtf8Continuation(text[i])) ++count;
    char_of[i] = count - 1;
  }
  for (TokenOrigin& origin : origins) {
    if (origin.begin_byte >= text.size()) {
      origin.begin_char = origin.begin_byte;
      origin.end_char = origin.end_byte;
      continue;
    }
    origin.begin_char = char_of[origin.begin_byte];
    origin.end_char = origin.end_byte < text.size() ? char_of[origin.end_byte]
                                                    : char_of.back() + 1;
  }
}

TokenOrigin& OriginWriter::Add(size_t begin, size_t end, uint32_t word) {
  const auto is_inside = [this](size_t pos) {
    return pos < text_.size() && IsUtf8Continuation(text_[pos]);
  };
  while (begin > 0 && is_inside(begin)) --begin;
  while (is_inside(end)) ++end;
  for (; byte_ < begin; ++byte_) char_ += !is_inside(byte_);
  uint32_t chars = 0;
  for (size_t i = begin; i < end; ++i) chars += !is_inside(i);
  return origins_.emplace_back(
      TokenOrigin{.begin_byte = static_cast<uint32_t>(begin),
                  .end_byte = static_cast<uint32_t>(end),
                  .begin_char = char_,
                  .end_char = char_ + chars,
                  .word = word});
}

void TrimSpacesOf(std::string_view token, bool first, bool add_prefix_space,
                  TokenOrigin& origin) {
  uint32_t leading = 0;
  for (size_t pos = 0; pos < token.size(); ++leading) {
    if (!IsSpelledSpace(NextChar(token, pos))) break;
  }
  uint32_t trailing = 0;
  for (size_t end = token.size(); end > 0; ++trailing) {
    end = PreviousChar(token, end);
    size_t pos = end;
    if (!IsSpelledSpace(NextChar(token, pos))) break;
  }
  TrimRange(leading, trailing, first, add_prefix_space, origin.begin_byte,
            origin.end_byte);
  TrimRange(leading, trailing, first, add_prefix_space, origin.begin_char,
            origin.end_char);
}

}  // namespace penstock
