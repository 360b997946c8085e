#include "tokenizer/unicode/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "tokenizer/unicode/avx512.h"

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

#if defined(__x86_64__)

// Decodes 64 digits at a time into 48 bytes, and stops before any that have
// another character among them. Returns how many digits were done.
PENSTOCK_AVX512 size_t DecodeByAvx512(std::string_view text, char* out) {
  constexpr uint64_t kBytes = (uint64_t{1} << 48) - 1;
  // Where each byte of the result is among words of 24 bits, lowest first.
  alignas(64) static constexpr auto kPlaces = [] {
    std::array<uint8_t, 64> places{};
    for (size_t i = 0; i < 48; ++i) places[i] = i / 3 * 4 + 2 - i % 3;
    return places;
  }();
  const __m512i places = _mm512_load_si512(kPlaces.data());
  const __m512i low = _mm512_loadu_si512(kDigits.data());
  const __m512i high = _mm512_loadu_si512(kDigits.data() + 64);
  size_t done = 0;
  for (; done + 64 <= text.size(); done += 64, out += 48) {
    const __m512i in = _mm512_loadu_si512(text.data() + done);
    // Looked up by the lowest seven bits; the eighth and -1 have the sign.
    const __m512i digits = _mm512_permutex2var_epi8(low, in, high);
    if (_mm512_movepi8_mask(_mm512_or_si512(digits, in)) != 0) break;
    const __m512i pairs =
        _mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x0140));
    const __m512i words =
        _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00011000));
    _mm512_mask_storeu_epi8(out, kBytes,
                            _mm512_permutexvar_epi8(places, words));
  }
  return done;
}

#endif

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
#if defined(__x86_64__)
  if (avx512::IsThere()) {
    i = DecodeByAvx512(text, out);
    out += i / 4 * 3;
  }
#endif
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
