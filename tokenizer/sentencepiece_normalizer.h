// Text as SentencePiece models want it: rules applied, spaces visible.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "tokenizer/charsmap.h"
#include "tokenizer/sentencepiece_model.h"
#include "tokenizer/text_buffer.h"
#include "tokenizer/user_defined_symbols.h"

namespace penstock {

// From the left: a user-defined symbol stays as it is; else the longest rule
// of the charsmap; else a character stays, and a byte of none becomes U+FFFD.
// Then by the flags: spaces at either end and after a space go
// (remove_extra_whitespaces), one is put before the text or, if whitespace is
// a suffix, after it (add_dummy_prefix), and all become U+2581
// (escape_whitespaces). An empty text stays empty.
//
// Threads: any number at a time.
class SentencePieceNormalizer {
 public:
  // Of `flags`, the views are not used. `symbols` must outlive this.
  SentencePieceNormalizer(const SentencePieceNormalization& flags,
                          Charsmap charsmap, bool whitespace_is_suffix,
                          const UserDefinedSymbols& symbols);

  // Replaces what `out` holds.
  //
  // Cost:    about 1 ns a byte of ASCII, 2 to 4 ns of others.
  void Normalize(std::string_view text, TextBuffer& out) const;

  // Whether all that Normalize gives is UTF-8, symbols aside.
  bool GivesUtf8() const { return charsmap_.GivesUtf8(); }

 private:
  // How to go on from a byte, if the next one is ASCII or the text ends.
  enum class Ascii : uint8_t { kLookUp, kCopy, kSpace };

  struct Prefix {
    size_t size;           // bytes of the text
    std::string_view out;  // what they become
  };

  void FillTables();
  Prefix NormalizePrefix(const char* at, const char* end) const;
  bool StaysAsIs(const char* at, size_t size) const;
  const char* SkipSpaces(const char* at, const char* end) const;

  const Charsmap charsmap_;
  const UserDefinedSymbols& symbols_;
  const std::string_view space_;
  const bool add_prefix_, add_suffix_, remove_extra_;

  std::array<Ascii, 128> ascii_;
  // A bit for each character below U+10000: no rule or symbol begins with its
  // first byte, or none goes on through it.
  std::vector<uint64_t> stays_;
};

}  // namespace penstock
