// Puts a string in the place of what a pattern matches: the Replace of a
// tokenizer.json.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tokenizer/interface/normalizer.h"
#include "tokenizer/regex/text_pattern.h"

namespace penstock {

// What is known of the matches of a pattern.
struct MatchedBytes {
  // All that are in one, if that is known: no other text decides what is one.
  std::string all = {};
  // All that there are of two and more U+0020, or of any White_Space.
  enum class Runs { kNone, kSpaces, kWhiteSpace };
  Runs runs = Runs::kNone;
};

// Cost:    one pass.
class PatternNormalizer final : public Normalizer {
 public:
  PatternNormalizer(std::unique_ptr<const TextPattern> pattern,
                    std::string content, MatchedBytes matched = {})
      : pattern_(std::move(pattern)),
        content_(std::move(content)),
        matched_(std::move(matched)) {}

  uint32_t BlankBehind(uint32_t c, uint32_t blank) const override;
  std::optional<ByteReplacement> OneByte() const override;

 private:
  Status Edit(AlignedText& text) const override;
  void ReplaceAll(AlignedText& text) const;

  const std::unique_ptr<const TextPattern> pattern_;
  const std::string content_;
  const MatchedBytes matched_;
};

}  // namespace penstock
