// Cuts text by a regular expression as tiktoken does: what it does not match is
// left out.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/patterns/pretokenizer.h"
#include "tokenizer/regex/text_pattern.h"

namespace penstock {

class RegexPreTokenizer final : public PreTokenizer {
 public:
  // Errors:  kUnimplemented naming what in `regex` we cannot match exactly.
  static StatusOr<std::unique_ptr<const PreTokenizer>> Make(
      std::string_view regex);

  size_t Split(std::string_view text, size_t begin,
               std::span<size_t> ends) const override;
  Status ErrorAt(std::string_view text, size_t begin) const override;
  bool EndsBehindLetters() const override { return false; }
  bool LeavesTextOut() const override { return true; }
  // The expression.
  std::string_view name() const override { return regex_; }

 private:
  RegexPreTokenizer(std::string_view regex,
                    std::unique_ptr<const TextPattern> pattern)
      : regex_(regex), pattern_(std::move(pattern)) {}

  const std::string regex_;
  const std::unique_ptr<const TextPattern> pattern_;
};

}  // namespace penstock
