// A regular expression that RE2 matches: by an automaton, in linear time.
#pragma once

#include <memory>
#include <string_view>

#include "tokenizer/regex/regex_properties.h"
#include "tokenizer/regex/text_pattern.h"

namespace re2 {
class RE2;
}

namespace penstock {

class Re2Pattern final : public TextPattern {
 public:
  // Errors:  kUnimplemented for what RE2 does not have (see IsRegular; but the
  //          end `|\s+(?!\S)|\s+` is known), for what is too large, and for
  //          what may match the empty text in tiktoken or before that end;
  //          those of ParseRegex.
  static StatusOr<std::unique_ptr<const TextPattern>> Make(
      std::string_view regex, RegexSyntax syntax);

  ~Re2Pattern() override;

  StatusOr<size_t> Find(std::string_view text, size_t from,
                        std::span<Found> found) const override;
  bool MayBeEmpty() const override { return may_be_empty_; }

 private:
  Re2Pattern(std::unique_ptr<const re2::RE2> regex, bool may_be_empty,
             std::unique_ptr<const re2::RE2> before_spaces);

  size_t EndOf(std::string_view text, size_t begin, size_t end) const;

  const std::unique_ptr<const re2::RE2> regex_;
  const bool may_be_empty_;
  // Set where the expression ends in `|\s+(?!\S)|\s+`, for which `regex_` has
  // `|\s+`: the alternatives before that. A match that they do not make at the
  // same place is a run of spaces, and gives its last character back unless it
  // is one character or ends the text.
  const std::unique_ptr<const re2::RE2> before_spaces_;
};

}  // namespace penstock
