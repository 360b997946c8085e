// Cuts out characters of a kind: the Digits and Punctuation of a
// tokenizer.json.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tokenizer/patterns/pretokenizer.h"
#include "tokenizer/unicode/ascii_set.h"

namespace penstock {

class CharacterPreTokenizer final : public PreTokenizer {
 public:
  enum class Kind : uint8_t {
    kNumbers,      // of any kind
    kPunctuation,  // BERT's
    // Bytes that byte_alphabet.h spells as numbers, wherever they are: what
    // Digits does behind ByteLevel.
    kSpelledNumbers,
  };
  enum class Runs : uint8_t { kSplit, kKept };
  // Each alone or in runs. What is between them is a piece.
  CharacterPreTokenizer(Kind kind, Runs runs);

  size_t Split(std::string_view text, size_t begin,
               std::span<size_t> ends) const override;
  bool EndsBehindLetters() const override { return false; }
  // The last byte of a letter may be spelled as a number.
  bool StopsBehindLetters() const override { return !CutsCharacters(); }
  bool CutsCharacters() const override {
    return kind_ == Kind::kSpelledNumbers;
  }
  std::bitset<256> CutChars() const override { return cut_chars_; }
  std::string_view name() const override;

  Kind kind() const { return kind_; }
  Runs runs() const { return runs_; }

 private:
  // Whether the character at `pos` is one, and where it ends.
  bool IsOne(std::string_view text, size_t& pos) const;
  // The end of those from `at` on that are, or are not.
  size_t EndOfRun(std::string_view text, size_t at, bool are) const;

  const Kind kind_;
  const Runs runs_;
  std::bitset<256> cut_chars_;
  AsciiSet narrow_, others_;  // of ASCII, those that are and are not
};

}  // namespace penstock
