// Edits of one character at a time that more than one normalizer makes.
#pragma once

#include <cstdint>
#include <string>

#include "tokenizer/unicode/aligned_text.h"

namespace penstock {

// Appends the lowercase of one code point, which may be two.
void AppendLower(uint32_t c, std::string& out);

void Lowercase(AlignedText& text);

// Drops the characters that have one of these hf_unicode::Bits.
void DropCharacters(uint8_t bits, AlignedText& text);

}  // namespace penstock
