// Writes text with one byte for each character, that tells apart no more than
// a regular expression does.
#pragma once

#include <bitset>
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
  static constexpr size_t kMost = 255;  // symbols, from 1 on

  // Errors:  kUnimplemented for sets that make more than 255 kinds of
  //          characters, or more than 2,000 sets.
  static StatusOr<SymbolAlphabet> Make(std::span<const CharSet> sets);

  // As a class of bytes, by each set's place.
  const std::vector<std::string>& classes() const { return classes_; }

  // Whether the set at that place has the characters of a symbol.
  bool Has(size_t set, size_t symbol) const { return members_[set][symbol]; }

  // What stands for the begin and the end of the text: no character has it, all
  // symbols are below.
  size_t boundary() const { return boundary_; }

  struct Symbol {
    uint32_t symbol;
    uint32_t size_bytes;  // of the character
  };
  // Of the character at `pos`, which is one that Spell would find there.
  Symbol At(std::string_view text, size_t pos) const {
    const auto byte = static_cast<unsigned char>(text[pos]);
    if (byte < 0x80) return {symbols_[byte], 1};
    return AtWide(text, pos);
  }
  // The same where that is not ASCII.
  Symbol AtWide(std::string_view text, size_t pos) const {
    const auto* const b =
        reinterpret_cast<const unsigned char*>(text.data() + pos);
    const size_t left = text.size() - pos;
    const auto trail = [b](size_t i) { return b[i] ^ 0x80u; };  // none: 64
    constexpr uint32_t kTrails = 64;
    // Most that are three bytes, and those of two.
    if (b[0] - 0xe1u < 12 && left >= 3 && (trail(1) | trail(2)) < kTrails) {
      return {Of((b[0] & 15u) << 12 | trail(1) << 6 | trail(2)), 3};
    }
    if (b[0] - 0xc2u < 30 && left >= 2 && trail(1) < kTrails) {
      return {Of((b[0] & 31u) << 6 | trail(1)), 2};
    }
    return AtAny(text, pos);
  }
  // Of a code point.
  uint8_t Of(uint32_t c) const {
    return symbols_[blocks_[c / kBlock] * kBlock + c % kBlock];
  }

  // Replaces `symbols` by those of the next `count` characters of `text` at
  // `pos`, fewer where the text ends. Returns where they end. A byte that is
  // not UTF-8 is one U+FFFD.
  size_t Spell(std::string_view text, size_t pos, size_t count,
               std::string& symbols) const;

 private:
  static constexpr size_t kBlock = 128;

  SymbolAlphabet() = default;

  // `cuts` from 0 to behind the last character: those from one on have the
  // symbol at the same place.
  void SetBlocks(std::span<const uint32_t> cuts,
                 std::span<const uint8_t> symbol_of);
  Symbol AtAny(std::string_view text, size_t pos) const;

  std::vector<uint16_t> blocks_;
  std::vector<uint8_t> symbols_;  // the first block is that of ASCII
  std::vector<std::string> classes_;
  std::vector<std::bitset<kMost + 1>> members_;  // by each set's place
  size_t boundary_ = 0;
};

// The bytes of the `count` characters at `pos`, counted as Spell does.
size_t SkipCharacters(std::string_view text, size_t pos, size_t count);

// The begin of the `count` characters before `pos`, or of the text.
size_t SkipBack(std::string_view text, size_t pos, size_t count);

}  // namespace penstock
