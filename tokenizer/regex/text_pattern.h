// Finds what a tokenizer.json calls a pattern: a string or a regular
// expression.
//
// Implementations form a star around this header: literal_pattern,
// space_runs, scanner_pattern, dfa_pattern, re2_pattern, pcre2_pattern.
// regex_pattern.h picks one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/regex/behind_letters.h"
#include "tokenizer/regex/delimiters.h"
#include "tokenizer/unicode/char_bytes.h"

namespace penstock {

// Threads: any number at a time.
class TextPattern {
 public:
  virtual ~TextPattern() = default;

  struct Found {
    size_t begin, end;
  };
  // Writes the next matches that begin at or after `from`, as many as `found`
  // holds. Returns how many: fewer only where there are no more. `from` is 0 or
  // the end of the match before. A match may be empty, but not where the one
  // before ends: the next is then looked for one character further. Where
  // matches may be empty, `found` holds two or more.
  // Errors:  kResourceExhausted naming the expression and the offset in `text`
  //          where it takes too many steps or too much memory.
  virtual StatusOr<size_t> Find(std::string_view text, size_t from,
                                std::span<Found> found) const = 0;

  // Whether a match may be empty.
  virtual bool MayBeEmpty() const { return false; }

  // Replaces `parts` by parts that cover `text`. In an empty text, as in the
  // reference, there is no match, not even of nothing.
  // Errors:  those of Find.
  Status Match(std::string_view text, std::vector<MatchedPart>& parts) const;

  // As far as it is known.
  virtual BehindLetters behind_letters() const { return {}; }

  // Each match ends with one of these characters.
  virtual CharBytes LastChars() const { return ~CharBytes{}; }

  // The bytes of a match, where all have as many and no other text decides what
  // is one.
  virtual std::optional<size_t> MatchSize() const { return std::nullopt; }
};

}  // namespace penstock
