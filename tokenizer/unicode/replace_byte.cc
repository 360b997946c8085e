#include "tokenizer/unicode/replace_byte.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace penstock {
namespace {

size_t CountOf(std::string_view text, char byte) {
  size_t count = 0;
  while (!text.empty()) {
    // So many can be counted in a byte, sixteen side by side.
    const std::string_view some = text.substr(0, 255);
    uint8_t of_some = 0;
    for (const char c : some) of_some += c == byte;
    count += of_some;
    text.remove_prefix(some.size());
  }
  return count;
}

}  // namespace

std::string ReplaceByte(std::string_view text, char byte, std::string_view by) {
  constexpr size_t kStep = kMostByteReplacement;
  const size_t count = CountOf(text, byte);
  const size_t size = text.size() - count + count * by.size();
  // Steps are written whole.
  std::string replaced(size + kStep, '\0');
  std::array<char, kStep> step{};
  std::ranges::copy(by, step.begin());
  char* out = replaced.data();
  size_t at = 0;
#ifdef __SSE2__
  while (at + kStep <= text.size()) {
    const __m128i bytes =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes);
    const auto found = static_cast<uint32_t>(
        _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte))));
    if (found == 0) {
      at += kStep;
      out += kStep;
      continue;
    }
    const int before = std::countr_zero(found);
    out += before;
    std::memcpy(out, step.data(), kStep);
    out += by.size();
    at += before + 1;
  }
#endif
  for (; at < text.size(); ++at) {
    if (text[at] == byte) {
      std::memcpy(out, step.data(), kStep);
      out += by.size();
    } else {
      *out++ = text[at];
    }
  }
  replaced.resize(size);
  return replaced;
}

}  // namespace penstock
