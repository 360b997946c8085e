// What a splitter cuts a text into.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/patterns/pretokenizer.h"

namespace penstock::testing {

// Through a window of `window` ends, as large texts are cut. What is left out
// is in brackets.
inline std::vector<std::string> PiecesOf(const PreTokenizer& splitter,
                                         std::string_view text,
                                         size_t window = 1000) {
  std::vector<std::string> pieces;
  std::vector<size_t> ends(window);
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t count = splitter.Split(text, begin, ends);
    if (count == 0) {
      ADD_FAILURE() << "no piece at " << begin;
      break;
    }
    for (size_t i = 0; i < count; ++i) {
      const size_t end = ends[i] & ~kLeftOut;
      const std::string piece(text.substr(begin, end - begin));
      pieces.push_back(end == ends[i] ? piece : "[" + piece + "]");
      begin = end;
    }
  }
  return pieces;
}

}  // namespace penstock::testing
