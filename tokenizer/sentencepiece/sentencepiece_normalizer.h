// Text as SentencePiece models want it: rules applied, spaces visible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "tokenizer/interface/text_buffer.h"
#include "tokenizer/sentencepiece/charsmap.h"
#include "tokenizer/sentencepiece/quick_chars.h"
#include "tokenizer/sentencepiece/sentencepiece_model.h"
#include "tokenizer/sentencepiece/user_defined_symbols.h"
#include "tokenizer/vocabulary/stored_tables.h"

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
  // Of what Save wrote; looks where `from` does.
  SentencePieceNormalizer(TableReader& from, const UserDefinedSymbols& symbols);
  void Save(TableWriter& to) const;

  // Replaces what `out` holds.
  //
  // Cost:    about 1 ns a byte of ASCII, 2 to 4 ns of others.
  void Normalize(std::string_view text, TextBuffer& out) const;

  // The same, with where each byte came from: origins[i] is the place in `text`
  // of what out.text()[i] stands for, and there is one more for the end.
  //
  // Cost:    some five times that of Normalize.
  void NormalizeWithOrigins(std::string_view text, TextBuffer& out,
                            std::vector<uint32_t>& origins) const;

  // Whether all that Normalize gives is UTF-8, symbols aside.
  bool GivesUtf8() const { return charsmap_.GivesUtf8(); }

 private:
  struct Prefix {
    size_t size;           // bytes of the text
    std::string_view out;  // what they become
  };

  Prefix NormalizePrefix(const char* at, const char* end) const;
  const char* SkipSpaces(const char* at, const char* end) const;
  // `size` is at most 4, and so much may be read; returns where the next byte
  // goes.
  static char* Append4(const char* from, size_t size, char* to) {
    std::memcpy(to, from, 4);
    return to + size;
  }
  char* AppendSpace(char* to) const {
    return Append4(space_.data(), space_.size(), to);
  }
  // Appends to `to` what the ASCII bytes at `at` become, as far as that is
  // quickly known, and returns how many those are.
  size_t NormalizeRun(const char* at, const char* end, bool& after_space,
                      char*& to) const;

  const Charsmap charsmap_;
  const UserDefinedSymbols& symbols_;
  const std::string_view space_;  // four bytes may be read
  const bool add_prefix_, add_suffix_, remove_extra_;

  const QuickChars quick_chars_;
};

}  // namespace penstock
