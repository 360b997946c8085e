// Arithmetic on TokenOrigin.
#pragma once

#include <span>
#include <string_view>

#include "tokenizer/tokenizer.h"

namespace penstock {

// Sets the characters of origins whose bytes are set. A token of a part of a
// character's bytes begins at that character, and ends before it unless it has
// the text's last byte, as in Hugging Face tokenizers.
void FillCharacterOffsets(std::string_view text,
                          std::span<TokenOrigin> origins);

// Leaves the spaces at the ends of a token, in the spelling of byte_alphabet.h,
// out of its origin. `first` is for the text's first token, where one space
// may be none of the text's.
void TrimSpacesOf(std::string_view token, bool first, bool add_prefix_space,
                  TokenOrigin& origin);

}  // namespace penstock
