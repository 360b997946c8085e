#include "tokenizer/patterns/number_pretokenizer.h"

#include <cstdint>

#include "tokenizer/unicode/char_bytes.h"
#include "tokenizer/unicode/hf_unicode.h"
#include "tokenizer/unicode/utf8.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

// Whether the character at `pos` is one, and where it ends. A byte that is not
// UTF-8 is none.
bool IsNumber(std::string_view text, size_t& pos) {
  const auto byte = static_cast<unsigned char>(text[pos]);
  if (byte < 0x80) {
    ++pos;
    return byte >= '0' && byte <= '9';
  }
  if (Utf8SizeOfChar(text.data() + pos, text.data() + text.size()) == 0) {
    ++pos;
    return false;
  }
  return (hf_unicode::BitsOf(NextChar(text, pos)) & hf_unicode::kNumber) != 0;
}

}  // namespace

std::bitset<256> NumberPreTokenizer::CutChars() const {
  return BytesOfChars([](uint32_t c) {
    return (hf_unicode::BitsOf(c) & hf_unicode::kNumber) != 0;
  });
}

size_t NumberPreTokenizer::Split(std::string_view text, size_t begin,
                                 std::span<size_t> ends) const {
  size_t count = 0;
  while (begin < text.size() && count < ends.size()) {
    size_t end = begin;
    const bool is_number = IsNumber(text, end);
    if (!is_number || runs_ == Runs::kKept) {
      for (size_t next = end;
           next < text.size() && IsNumber(text, next) == is_number;) {
        end = next;
      }
    }
    ends[count++] = begin = end;
  }
  return count;
}

}  // namespace penstock
