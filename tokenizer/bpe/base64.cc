#include "tokenizer/bpe/base64.h"

#include <array>
#include <cstdint>

namespace penstock {
namespace {

constexpr std::array<int8_t, 256> MakeDigits() {
  std::array<int8_t, 256> digits{};
  digits.fill(-1);
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int8_t>(i);
  }
  return digits;
}

constexpr std::array<int8_t, 256> kDigits = MakeDigits();

}  // namespace

std::optional<std::string> DecodeBase64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) {
    text.remove_suffix(1);
  }
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  uint32_t bits = 0;
  int held = 0;  // of `bits`, not yet in `bytes`
  for (const unsigned char c : text) {
    if (kDigits[c] < 0) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(kDigits[c]);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push_back(static_cast<char>(bits >> held));
    bits &= (1u << held) - 1;
  }
  if (bits != 0) return std::nullopt;
  return bytes;
}

}  // namespace penstock
