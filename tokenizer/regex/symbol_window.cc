#include "tokenizer/regex/symbol_window.h"

#include <algorithm>

#include "tokenizer/unicode/utf8.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

// The begin of the `count` characters before `pos`, or of the text.
size_t BackBy(std::string_view text, size_t pos, size_t count) {
  for (; count > 0 && pos > 0; --count) {
    const size_t begin = pos - std::min<size_t>(pos, 4);
    size_t last = pos - 1;
    for (size_t at = pos - 1; at + 1 > begin; --at) {
      if (Utf8SizeOfChar(text.data() + at, text.data() + text.size()) ==
          pos - at) {
        last = at;
        break;
      }
      if (at == 0) break;
    }
    pos = last;
  }
  return pos;
}

}  // namespace

void SymbolWindow::MoveTo(size_t new_offset, size_t size) {
  const size_t begin = BackBy(text, new_offset, context);
  const size_t end = alphabet.Spell(text, begin, context + size, symbols);
  ends_text = end == text.size();
  at = 0;
  for (size_t pos = begin; pos < new_offset; ++at) {
    pos = SkipCharacters(text, pos, 1);
  }
  offset = new_offset;
}

}  // namespace penstock
