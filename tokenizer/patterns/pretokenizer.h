// Cuts text into the pieces that BPE then works on, one at a time.
//
// Implementations form a star around this header: gpt2_scanner,
// cl100k_scanner, o200k_scanner, regex_pretokenizer.
// tokenizer/patterns/patterns.h picks one by name.
#pragma once

#include <bitset>
#include <cstddef>
#include <span>
#include <string_view>

#include "formats/files/status.h"

namespace penstock {

// An end with this bit is that of text to leave out, which is no piece.
inline constexpr size_t kLeftOut = ~(~size_t{0} >> 1);

// The pieces cover the text: each begins where the one before ended. What a
// pattern says about the end of the text holds for the end of `text`, so give
// whole regions (between special tokens), never a part of one.
//
// Any bytes are accepted. The references only take valid UTF-8; here a byte
// that is not part of a valid character is a character of its own, neither
// letter, number nor space.
//
// Threads: any number at a time.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;

  // Writes the ends of the next pieces after `begin`, as many as `ends` holds.
  // Returns how many it wrote: fewer only where the text ended, none before its
  // end only where ErrorAt is an error.
  virtual size_t Split(std::string_view text, size_t begin,
                       std::span<size_t> ends) const = 0;

  // Why Split wrote no end behind `begin`.
  // Errors:  kResourceExhausted for a pattern that takes too many steps.
  virtual Status ErrorAt(std::string_view /*text*/, size_t /*begin*/) const {
    return OkStatus();
  }

  // Whether a piece always ends between a letter and what follows it, unless
  // that is a letter, a mark or an apostrophe; whatever stands around.
  virtual bool EndsBehindLetters() const { return true; }
  // Whether none reaches over such a place but text between matches, of which
  // neither side depends on the other.
  virtual bool StopsBehindLetters() const { return true; }

  // Text with none of these bytes is one piece, as text of one character is
  // where none is left out and no character cut.
  virtual std::bitset<256> CutChars() const { return std::bitset<256>{}.set(); }

  // Whether ends may have kLeftOut.
  virtual bool LeavesTextOut() const { return false; }
  // Whether a piece may end within a character.
  virtual bool CutsCharacters() const { return false; }

  // The name that distinguishes its rules: "gpt2".
  virtual std::string_view name() const = 0;
};

}  // namespace penstock
