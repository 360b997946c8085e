#include "tokenizer/unicode/replace_byte.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
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

char* ByteReplacement::Put(std::string_view text, size_t begin, size_t end,
                           char* out) const {
  size_t at = begin;
#ifdef __SSE2__
  constexpr size_t kStep = kMostBytes;
  while (at < end && at + kStep <= text.size()) {
    const __m128i bytes =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes);
    const auto found = static_cast<uint32_t>(
        _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte_))));
    const size_t before = std::countr_zero(found | 1u << kStep);
    const size_t left = end - at;
    if (before >= std::min(left, kStep)) {
      const size_t copied = std::min(left, kStep);
      at += copied;
      out += copied;
      continue;
    }
    out += before;
    std::memcpy(out, bytes_.data(), kMostBytes);
    out += size_;
    at += before + 1;
  }
#endif
  for (; at < end; ++at) {
    if (text[at] == byte_) {
      std::memcpy(out, bytes_.data(), kMostBytes);
      out += size_;
    } else {
      *out++ = text[at];
    }
  }
  return out;
}

std::string Replaced(std::string_view text,
                     const ByteReplacement& replacement) {
  const size_t count = CountOf(text, replacement.byte());
  const size_t size = text.size() - count + count * replacement.by().size();
  std::string replaced(size + ByteReplacement::kMostBytes, '\0');
  replacement.Put(text, 0, text.size(), replaced.data());
  replaced.resize(size);
  return replaced;
}

}  // namespace penstock
