// What a splitter cuts a text into.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/patterns/pretokenizer.h"

namespace penstock::testing {

// Through a window of `window` ends, as large texts are cut.
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
      pieces.emplace_back(text.substr(begin, ends[i] - begin));
      begin = ends[i];
    }
  }
  return pieces;
}

}  // namespace penstock::testing
