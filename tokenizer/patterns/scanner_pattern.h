// A known regular expression, which leaves nothing unmatched.
#pragma once

#include <memory>
#include <utility>

#include "tokenizer/patterns/pretokenizer.h"
#include "tokenizer/regex/text_pattern.h"

namespace penstock {

class ScannerPattern final : public TextPattern {
 public:
  explicit ScannerPattern(std::unique_ptr<const PreTokenizer> scanner)
      : scanner_(std::move(scanner)) {}

  StatusOr<size_t> Find(std::string_view text, size_t from,
                        std::span<Found> found) const override;

 private:
  const std::unique_ptr<const PreTokenizer> scanner_;
};

}  // namespace penstock
