#include "tokenizer/regex/symbol_window.h"

namespace penstock {

void SymbolWindow::MoveTo(size_t new_offset, size_t size) {
  const size_t begin = SkipBack(text, new_offset, context);
  const size_t end = alphabet.Spell(text, begin, context + size, symbols);
  ends_text = end == text.size();
  at = 0;
  for (size_t pos = begin; pos < new_offset; ++at) {
    pos = SkipCharacters(text, pos, 1);
  }
  offset = new_offset;
}

}  // namespace penstock
