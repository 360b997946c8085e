#include "tokenizer/vocabulary/token_begins.h"

#ifdef __SSE2__
#include <tmmintrin.h>
#endif

#include <algorithm>
#include <bit>

namespace penstock {

void TokenBegins::Add(std::string_view begin) {
  const auto first = static_cast<unsigned char>(begin[0]);
  const auto bit = static_cast<uint8_t>(1 << added_++ % 8);
  const auto add = [bit](uint8_t& classes) {
    classes = static_cast<uint8_t>(classes | bit);
  };
  is_one_pair_ = added_ == 1 && begin.size() > 1;
  first_ = begin[0];
  second_ = begin.size() > 1 ? begin[1] : 0;
  firsts_[first] = true;
  add(first_low_[first % 16]);
  add(first_high_[first / 16]);
  if (begin.size() > 1) {
    const auto second = static_cast<unsigned char>(begin[1]);
    add(second_low_[second % 16]);
    add(second_high_[second / 16]);
  } else {
    std::ranges::for_each(second_low_, add);
    std::ranges::for_each(second_high_, add);
  }
}

size_t TokenBegins::NextOfPair(std::string_view text, size_t pos) const {
  constexpr size_t kPlaces = 64;
  std::array<char, kPlaces + 1> rest;
  for (; pos < text.size(); pos += kPlaces) {
    const char* at = text.data() + pos;
    if (const size_t size = text.size() - pos; size < rest.size()) {
      rest = {};
      std::copy_n(at, size, rest.begin());
      at = rest.data();
    }
    // GCC makes vectors of these loops as they are; a branch in them, or no
    // array, undoes that.
    char found[kPlaces];
    char any = 0;
    for (size_t i = 0; i < kPlaces; ++i) {
      found[i] = -static_cast<char>((at[i] == first_) & (at[i + 1] == second_));
    }
    for (size_t i = 0; i < kPlaces; ++i) any |= found[i];
    if (any) return pos + std::string_view(found, kPlaces).find('\xff');
  }
  return text.size();
}

size_t TokenBegins::NextOneByOne(const TokenBegins& begins,
                                 std::string_view text, size_t pos) {
  while (pos < text.size() && !begins.Has(text[pos])) ++pos;
  return std::min(pos, text.size());
}

#ifdef __SSE2__

namespace {

// The classes that both halves of each byte are of.
[[gnu::target("ssse3")]] inline __m128i ClassesOf(__m128i bytes, __m128i by_low,
                                                  __m128i by_high) {
  const __m128i half = _mm_set1_epi8(15);
  const __m128i high = _mm_and_si128(_mm_srli_epi16(bytes, 4), half);
  return _mm_and_si128(_mm_shuffle_epi8(by_low, _mm_and_si128(bytes, half)),
                       _mm_shuffle_epi8(by_high, high));
}

[[gnu::target("ssse3")]] inline __m128i Load(const void* bytes) {
  return _mm_loadu_si128(static_cast<const __m128i*>(bytes));
}

}  // namespace

[[gnu::target("ssse3")]] size_t TokenBegins::NextBySsse3(
    const TokenBegins& begins, std::string_view text, size_t pos) {
  constexpr size_t kStep = 16;  // bytes; one more is looked at
  const __m128i first_low = Load(begins.first_low_.data());
  const __m128i first_high = Load(begins.first_high_.data());
  const __m128i second_low = Load(begins.second_low_.data());
  const __m128i second_high = Load(begins.second_high_.data());
  std::array<char, kStep + 1> rest;
  for (; pos < text.size(); pos += kStep) {
    const char* at = text.data() + pos;
    if (const size_t size = text.size() - pos; size < rest.size()) {
      rest = {};
      std::copy_n(at, size, rest.begin());
      at = rest.data();
    }
    const __m128i classes =
        _mm_and_si128(ClassesOf(Load(at), first_low, first_high),
                      ClassesOf(Load(at + 1), second_low, second_high));
    const auto others = static_cast<uint32_t>(
        _mm_movemask_epi8(_mm_cmpeq_epi8(classes, _mm_setzero_si128())));
    if (others != 0xffff) return pos + std::countr_one(others);
  }
  return text.size();
}

const TokenBegins::NextFunction TokenBegins::next_ =
    __builtin_cpu_supports("ssse3") ? NextBySsse3 : NextOneByOne;

#else

const TokenBegins::NextFunction TokenBegins::next_ = NextOneByOne;

#endif

}  // namespace penstock
