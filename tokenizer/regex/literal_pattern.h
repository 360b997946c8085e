// Finds a string.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tokenizer/regex/text_pattern.h"

namespace penstock {

class LiteralPattern final : public TextPattern {
 public:
  // Errors:  kUnimplemented for an empty string, which matches everywhere.
  static StatusOr<std::unique_ptr<const TextPattern>> Make(
      std::string_view literal);

  StatusOr<size_t> Find(std::string_view text, size_t from,
                        std::span<Found> found) const override;
  std::optional<size_t> MatchSize() const override { return literal_.size(); }

 private:
  explicit LiteralPattern(std::string_view literal) : literal_(literal) {}

  const std::string literal_;
};

}  // namespace penstock
