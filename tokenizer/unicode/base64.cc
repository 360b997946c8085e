#include "tokenizer/unicode/base64.h"

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
  const auto digit = [&](size_t i) {
    return int32_t{kDigits[static_cast<unsigned char>(text[i])]};
  };
  std::string bytes(text.size() * 3 / 4, '\0');
  char* out = bytes.data();
  int32_t wrong = 0;  // below zero once a digit was
  size_t i = 0;
  for (; i + 4 <= text.size(); i += 4) {
    const int32_t a = digit(i), b = digit(i + 1), c = digit(i + 2),
                  d = digit(i + 3);
    wrong |= a | b | c | d;
    *out++ = static_cast<char>(a << 2 | b >> 4);
    *out++ = static_cast<char>(b << 4 | c >> 2);
    *out++ = static_cast<char>(c << 6 | d);
  }
  uint32_t bits = 0;
  int held = 0;  // of `bits`, not yet written
  for (; i < text.size(); ++i) {
    wrong |= digit(i);
    bits = bits << 6 | static_cast<uint32_t>(digit(i) & 63);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    *out++ = static_cast<char>(bits >> held);
    bits &= (1u << held) - 1;
  }
  if (wrong < 0 || bits != 0) return std::nullopt;
  return bytes;
}

}  // namespace penstock
