// Arithmetic on TokenOrigin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "formats/files/status.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// Errors:  kInvalidArgument for a text of 4 GiB or more.
Status CheckSizeForOrigins(std::string_view text);

// Sets the characters of origins whose bytes are set. A token of a part of a
// character's bytes begins at that character, and ends before it unless it has
// the text's last byte, as in Hugging Face tokenizers.
void FillCharacterOffsets(std::string_view text,
                          std::span<TokenOrigin> origins);

// Tells where tokens came from that are given in the order of the text, which
// is UTF-8 of less than 4 GiB. A token of a part of a character's bytes is all
// of the character's, as in Hugging Face tokenizers.
//
// Threads: one at a time.
class OriginWriter {
 public:
  // Appends to `origins`. Both must outlive this.
  OriginWriter(std::string_view text, std::vector<TokenOrigin>& origins)
      : text_(text), origins_(origins) {}

  // A token of the bytes [begin, end) of the text, of the current word.
  // Its origin is valid until the next one is added.
  TokenOrigin& Add(size_t begin, size_t end) { return Add(begin, end, word_); }
  TokenOrigin& Add(size_t begin, size_t end, uint32_t word);
  void EndWord() { ++word_; }

 private:
  const std::string_view text_;
  std::vector<TokenOrigin>& origins_;
  uint32_t word_ = 0;
  // How far characters are counted.
  size_t byte_ = 0;
  uint32_t char_ = 0;
};

// Leaves the spaces at the ends of a token, in the spelling of byte_alphabet.h,
// out of its origin. `first` is for the text's first token, where one space
// may be none of the text's.
void TrimSpacesOf(std::string_view token, bool first, bool add_prefix_space,
                  TokenOrigin& origin);

}  // namespace penstock
