// Finds runs of spaces.
#pragma once

#include <string_view>

#include "tokenizer/regex/text_pattern.h"

namespace penstock {

// What the expression " {2,}" matches: two and more, all that there are. Most
// SentencePiece models that became a tokenizer.json have it.
class SpaceRuns final : public TextPattern {
 public:
  static constexpr std::string_view kRegex = " {2,}";

  StatusOr<size_t> Find(std::string_view text, size_t from,
                        std::span<Found> found) const override;
  BehindLetters behind_letters() const override { return {.stops = true}; }
  CharBytes LastChars() const override { return CharBytes{}.set(' '); }
};

}  // namespace penstock
