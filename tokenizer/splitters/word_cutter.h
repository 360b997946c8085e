// Cuts text that nothing has touched yet where BERT's components cannot tell:
// what they make of each part is what they make of it in the text.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "tokenizer/interface/normalizer.h"

namespace penstock {

// A part is a word or one character that stands apart, maybe behind a blank, or
// white space. ASCII white space and punctuation stand apart, wide white space
// and punctuation that has no decomposition, and Han where the normalizer says
// so; words are what is between. So controls, which may be dropped, and marks,
// which may go elsewhere, are where they meet what they meet in the text.
//
// Parts become remembered ids: a word has few spellings, a sentence many.
//
// Threads: any number at a time.
class WordCutter {
 public:
  // `breaks` is not kNone.
  explicit WordCutter(Normalizer::Breaks breaks)
      : han_(breaks == Normalizer::Breaks::kPunctuationAndHan) {}

  // Writes the ends of the next parts after `begin`, as many as `ends` holds,
  // and returns how many: fewer only where the text ended. `text` is UTF-8.
  //
  // Cost:    about 0.3 ns a byte of ASCII, 3 ns a wide character.
  size_t Split(std::string_view text, size_t begin,
               std::span<size_t> ends) const;

 private:
  const bool han_;
};

}  // namespace penstock
