// The spelling of bytes as printable characters that GPT-2 began and every
// byte-level tokenizer.json uses: " the" is written "Ġthe".
//
// Bytes that Latin-1 prints (0x21-0x7E, 0xA1-0xAC, 0xAE-0xFF) stand for
// themselves; the other 68, in order, are U+0100, U+0101, ... U+0143.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace penstock {

// The character that stands for one byte.
uint32_t SpelledByte(char byte);

// The byte that a character stands for; -1 for one that is not of the alphabet.
int ByteOfSpelled(uint32_t c);

std::string SpellBytes(std::string_view bytes);

// The bytes that `spelled` stands for; nullopt where a character is not of the
// alphabet.
std::optional<std::string> BytesOfSpelling(std::string_view spelled);

}  // namespace penstock
