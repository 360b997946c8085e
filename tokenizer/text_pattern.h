// Finds what a tokenizer.json calls a pattern: a string or a regular
// expression.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tokenizer/delimiters.h"

namespace penstock {

// Threads: any number at a time.
class TextPattern {
 public:
  virtual ~TextPattern() = default;

  struct Found {
    size_t begin, end;
  };
  // The first match that begins at or after `from`; nullopt without one.
  virtual std::optional<Found> Next(std::string_view text,
                                    size_t from) const = 0;

  // Replaces `parts` by parts that cover `text`.
  virtual void Match(std::string_view text,
                     std::vector<MatchedPart>& parts) const;

  // The bytes of a match, where all have as many and no other text decides what
  // is one.
  virtual std::optional<size_t> MatchSize() const { return std::nullopt; }
};

// Errors:  kUnimplemented for an empty string, which matches everywhere.
absl::StatusOr<std::unique_ptr<const TextPattern>> MakeLiteralPattern(
    std::string_view literal);

// `regex` is in Oniguruma's syntax, which Hugging Face tokenizers use.
// Errors:  kUnimplemented naming the expression and what in it we cannot match
//          exactly as Oniguruma does.
absl::StatusOr<std::unique_ptr<const TextPattern>> MakeRegexPattern(
    std::string_view regex);

}  // namespace penstock
