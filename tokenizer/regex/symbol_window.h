// The symbols of a part of a text, for engines that match bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tokenizer/regex/symbol_alphabet.h"

namespace penstock {

// A place in them moves forward, here and in the text.
struct SymbolWindow {
  std::string_view text;
  size_t context;  // characters before the place that are looked at
  const SymbolAlphabet& alphabet;
  std::string& symbols;
  size_t at = 0;      // among the symbols
  size_t offset = 0;  // the same in the text
  bool ends_text = false;

  // Begins `context` characters before `offset` and ends `size` behind it.
  void MoveTo(size_t new_offset, size_t size);

  // Moves to `place`, one of the symbols, not before `at`.
  size_t OffsetAt(size_t place) {
    offset = SkipCharacters(text, offset, place - at);
    at = place;
    return offset;
  }
};

}  // namespace penstock
