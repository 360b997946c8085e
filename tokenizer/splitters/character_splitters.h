// Splitters that look at one character at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tokenizer/regex/delimiters.h"
#include "tokenizer/splitters/splitter.h"

namespace penstock {

// White_Space is removed; each character of BERT's punctuation is a piece.
//
// Cost:    about 1 ns a byte of ASCII.
class BertSplitter final : public Splitter {
 public:
  Status Cut(Pieces& pieces) const override;
  bool CutsAtSpaces() const override { return true; }
  bool CutsAtPunctuation() const override { return true; }
};

// White_Space is removed.
class WhitespaceSplitter final : public Splitter {
 public:
  Status Cut(Pieces& pieces) const override;
  bool CutsAtSpaces() const override { return true; }
};

// \w+|[^\w\s]+, the rest is removed.
class WordSplitter final : public Splitter {
 public:
  Status Cut(Pieces& pieces) const override;
  bool CutsAtSpaces() const override { return true; }
};

// BERT's punctuation.
class PunctuationSplitter final : public Splitter {
 public:
  explicit PunctuationSplitter(Delimiters delimiters)
      : delimiters_(delimiters) {}
  Status Cut(Pieces& pieces) const override;

 private:
  const Delimiters delimiters_;
};

// Numbers of any kind, each alone or in runs.
class DigitSplitter final : public Splitter {
 public:
  enum class Runs { kSplit, kKept };
  explicit DigitSplitter(Runs runs) : runs_(runs) {}
  Status Cut(Pieces& pieces) const override;

 private:
  const Runs runs_;
};

// One character, which is removed.
class DelimiterSplitter final : public Splitter {
 public:
  explicit DelimiterSplitter(uint32_t delimiter) : delimiter_(delimiter) {}
  Status Cut(Pieces& pieces) const override;
  bool CutsAtSpaces() const override { return delimiter_ == ' '; }

 private:
  const uint32_t delimiter_;
};

// So many characters each, the last fewer.
class FixedLengthSplitter final : public Splitter {
 public:
  explicit FixedLengthSplitter(size_t length) : length_(length) {}
  Status Cut(Pieces& pieces) const override;

 private:
  const size_t length_;  // > 0
};

}  // namespace penstock
