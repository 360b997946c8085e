// Reads what stands for one character in a regular expression: escapes and
// classes.
#pragma once

#include <cstddef>
#include <string_view>

#include "formats/files/status_or.h"
#include "tokenizer/regex/regex_properties.h"
#include "tokenizer/unicode/char_set.h"

namespace penstock {

// kUnimplemented saying that we do not know `what` exactly.
Status RegexLacks(std::string_view what);

// All move `pos` behind what they read.
//
// Errors:  kUnimplemented naming what is not known to mean the same here as in
//          the reference.
class RegexChars {
 public:
  // `regex` must be valid UTF-8 and outlive this.
  RegexChars(std::string_view regex, RegexSyntax syntax)
      : in_(regex), syntax_(syntax), properties_(syntax) {}

  // The escape at `pos`. Under (?i), `folds`, only those of ASCII characters,
  // \s and \d.
  StatusOr<CharSet> Escape(size_t& pos, bool folds) {
    return EscapeOr(pos, folds, &RegexProperties::Word);
  }
  // The class whose [ is at `pos`; under (?i) only of ASCII characters, \s and
  // \d.
  StatusOr<CharSet> Class(size_t& pos, bool folds);
  // \w.
  const CharSet& Word() { return properties_.Word(); }

 private:
  bool At(size_t pos, std::string_view text) const {
    return pos < in_.size() && in_.substr(pos).starts_with(text);
  }
  using WordOf = const CharSet& (RegexProperties::*)();
  StatusOr<CharSet> EscapeOr(size_t& pos, bool folds, WordOf word);
  StatusOr<CharSet> Hex(size_t& pos) const;
  StatusOr<CharSet> Property(size_t& pos);
  StatusOr<CharSet> Posix(size_t& pos);
  StatusOr<CharSet> ClassAt(size_t& pos, bool folds, int depth);
  StatusOr<CharSet> ClassItem(size_t& pos, bool folds);
  StatusOr<CharSet> OneOf(size_t& pos, bool folds);

  const std::string_view in_;
  const RegexSyntax syntax_;
  RegexProperties properties_;
};

}  // namespace penstock
