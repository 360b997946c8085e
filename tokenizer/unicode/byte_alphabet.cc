#include "tokenizer/unicode/byte_alphabet.h"

#include <array>
#include <cstdint>

namespace penstock {
namespace {

constexpr uint32_t kFirstStandIn = 0x100;
constexpr uint32_t kEndOfAlphabet = kFirstStandIn + 68;

constexpr bool StandsForItself(int byte) {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte != 0xad);
}

struct Alphabet {
  std::array<uint16_t, 256> character_of{};
  std::array<int16_t, kEndOfAlphabet> byte_of{};  // -1: none
};

constexpr Alphabet MakeAlphabet() {
  Alphabet alphabet;
  for (int16_t& byte : alphabet.byte_of) byte = -1;
  uint32_t next = kFirstStandIn;
  for (int byte = 0; byte < 256; ++byte) {
    const uint32_t character = StandsForItself(byte) ? byte : next++;
    alphabet.character_of[byte] = static_cast<uint16_t>(character);
    alphabet.byte_of[character] = static_cast<int16_t>(byte);
  }
  return alphabet;
}

constexpr Alphabet kAlphabet = MakeAlphabet();

}  // namespace

uint32_t SpelledByte(char byte) {
  return kAlphabet.character_of[static_cast<unsigned char>(byte)];
}

int ByteOfSpelled(uint32_t c) {
  return c < kEndOfAlphabet ? kAlphabet.byte_of[c] : -1;
}

std::string SpellBytes(std::string_view bytes) {
  std::string spelled;
  for (const unsigned char byte : bytes) {
    const uint32_t c = kAlphabet.character_of[byte];
    if (c < 0x80) {
      spelled.push_back(static_cast<char>(c));
    } else {
      spelled.push_back(static_cast<char>(0xc0 | c >> 6));
      spelled.push_back(static_cast<char>(0x80 | (c & 0x3f)));
    }
  }
  return spelled;
}

std::optional<std::string> BytesOfSpelling(std::string_view spelled) {
  // All characters of the alphabet are below U+0144: one or two bytes.
  std::string bytes;
  for (size_t i = 0; i < spelled.size(); ++i) {
    uint32_t c = static_cast<unsigned char>(spelled[i]);
    if (c >= 0x80) {
      if (c < 0xc2 || c > 0xdf || ++i == spelled.size()) return std::nullopt;
      const auto tail = static_cast<unsigned char>(spelled[i]);
      if (tail >> 6 != 2) return std::nullopt;
      c = (c & 0x1f) << 6 | (tail & 0x3f);
    }
    if (c >= kEndOfAlphabet || kAlphabet.byte_of[c] < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(kAlphabet.byte_of[c]));
  }
  return bytes;
}

}  // namespace penstock
