// Cuts text by a regular expression that we have no scanner for.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "formats/files/status_or.h"
#include "tokenizer/patterns/pretokenizer.h"
#include "tokenizer/regex/text_pattern.h"

namespace penstock {

// Whose expression it is, and what becomes of text that it does not match.
enum class RegexRules {
  kTiktoken,  // left out
  kIsolated,  // of a tokenizer.json's Split: a piece
  kInverted,  // the same, Removed and inverted: left out
};

class RegexPreTokenizer final : public PreTokenizer {
 public:
  // Errors:  kUnimplemented naming what in `regex` we cannot match exactly, or
  //          where it may match the empty text.
  static StatusOr<std::unique_ptr<const PreTokenizer>> Make(
      std::string_view regex, RegexRules rules);

  size_t Split(std::string_view text, size_t begin,
               std::span<size_t> ends) const override;
  Status ErrorAt(std::string_view text, size_t begin) const override;
  bool EndsBehindLetters() const override {
    return pattern_->behind_letters().ends;
  }
  bool StopsBehindLetters() const override {
    return pattern_->behind_letters().stops;
  }
  std::bitset<256> CutChars() const override {
    return LeavesTextOut() ? ~CharBytes{} : pattern_->LastChars();
  }
  bool LeavesTextOut() const override {
    return rules_ != RegexRules::kIsolated;
  }
  // The expression, behind a word for the rules of a tokenizer.json.
  std::string_view name() const override { return name_; }

  std::string_view regex() const;
  RegexRules rules() const { return rules_; }

 private:
  RegexPreTokenizer(std::string_view regex, RegexRules rules,
                    std::unique_ptr<const TextPattern> pattern);

  const RegexRules rules_;
  const std::string name_;
  const std::unique_ptr<const TextPattern> pattern_;
};

}  // namespace penstock
