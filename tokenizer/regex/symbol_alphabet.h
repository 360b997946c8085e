// Writes text with one byte for each character, that tells apart no more than
// a regular expression does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/unicode/char_set.h"

namespace penstock {

// Two characters have the same symbol where each of the sets has both or
// neither. So an engine that knows bytes alone matches whatever Unicode the
// tables are of, as fast for every script, and with small classes.
//
// Threads: any number at a time.
// Memory:  some 20 to 200 KB.
class SymbolAlphabet {
 public:
  // Errors:  kUnimplemented for sets that make more than 255 kinds of
  //          characters, or more than 2,000 sets.
  static StatusOr<SymbolAlphabet> Make(std::span<const CharSet> sets);

  // As a class of bytes, by each set's place.
  const std::vector<std::string>& classes() const { return classes_; }

  // Replaces `symbols` by those of the next `count` characters of `text` at
  // `pos`, fewer where the text ends. Returns where they end. A byte that is
  // not UTF-8 is a character that no class has.
  size_t Spell(std::string_view text, size_t pos, size_t count,
               std::string& symbols) const;

 private:
  static constexpr size_t kBlock = 128;
  static constexpr char kNone = 0;

  SymbolAlphabet() = default;

  char Of(uint32_t c) const {
    return symbols_[blocks_[c / kBlock] * kBlock + c % kBlock];
  }

  std::vector<uint16_t> blocks_;
  std::vector<char> symbols_;  // the first block is that of ASCII
  std::vector<std::string> classes_;
};

// The bytes of the `count` characters at `pos`, counted as Spell does.
size_t SkipCharacters(std::string_view text, size_t pos, size_t count);

}  // namespace penstock
