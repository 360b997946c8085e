#include "tokenizer/unicode/ascii_block.h"

#include <array>
#include <bit>

#include "tokenizer/unicode/avx512.h"

namespace penstock {
namespace {

struct Instructions {
  void (*classify)(const char* at, AsciiBlock& block);
  size_t (*write_places)(uint64_t bits, size_t begin, size_t* places);
};

// The bits that the others leave.
void AddOthers(AsciiBlock& block) {
  block.others = ~(block.letters | block.digits | block.spaces | block.wide);
}

// Without an instruction for it std::popcount is a call.
size_t CountOnes(uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return bits * 0x0101010101010101 >> 56;
}

size_t WritePlacesPlainly(uint64_t bits, size_t begin, size_t* places) {
  // By eights, some in vain: how many there are is hard to guess for the
  // processor.
  const size_t count = CountOnes(bits);
  for (size_t i = 0; i < count; i += kWritten) {
    for (size_t k = 0; k < kWritten; ++k) {
      places[i + k] = begin + std::countr_zero(bits);
      bits &= bits - 1;
    }
  }
  return count;
}

#if defined(__x86_64__)

void ClassifyBySse2(const char* at, AsciiBlock& block) {
  uint64_t tabs = 0;
  for (int i = 0; i < 64; i += 16) {
    const __m128i bytes =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + i));
    const auto put = [i](uint64_t& bits, __m128i mask) {
      bits |= uint64_t{static_cast<uint32_t>(_mm_movemask_epi8(mask))} << i;
    };
    const auto equal = [&](char c) {
      return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
    };
    // The `size` bytes from `first` on.
    const auto among = [](__m128i in, char first, char size) {
      const __m128i place = _mm_sub_epi8(in, _mm_set1_epi8(first));
      return _mm_cmpeq_epi8(
          _mm_min_epu8(place, _mm_set1_epi8(static_cast<char>(size - 1))),
          place);
    };
    const __m128i small = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    const __m128i blank = equal(' ');
    put(block.letters, among(small, 'a', 26));
    put(block.capitals, among(bytes, 'A', 26));
    put(block.digits, among(bytes, '0', 10));
    put(block.spaces, _mm_or_si128(among(bytes, '\t', 5), blank));
    put(block.blanks, blank);
    put(block.newlines, _mm_or_si128(equal('\n'), equal('\r')));
    put(block.apostrophes, equal('\''));
    put(block.slashes, equal('/'));
    put(block.controls, _mm_or_si128(among(bytes, 0, ' '), equal('\x7f')));
    put(tabs, equal('\t'));
    put(block.wide, bytes);
  }
  block.controls &= ~(block.newlines | tabs);
  AddOthers(block);
}

#define PENSTOCK_AVX2 [[gnu::target("avx2")]]

PENSTOCK_AVX2 inline __m256i Among(__m256i in, char first, char size) {
  const __m256i place = _mm256_sub_epi8(in, _mm256_set1_epi8(first));
  return _mm256_cmpeq_epi8(
      _mm256_min_epu8(place, _mm256_set1_epi8(static_cast<char>(size - 1))),
      place);
}

PENSTOCK_AVX2 inline __m256i Equal(__m256i in, char c) {
  return _mm256_cmpeq_epi8(in, _mm256_set1_epi8(c));
}

PENSTOCK_AVX2 inline uint64_t Bits(__m256i low, __m256i high) {
  const auto low_bits = static_cast<uint32_t>(_mm256_movemask_epi8(low));
  const auto high_bits = static_cast<uint32_t>(_mm256_movemask_epi8(high));
  return low_bits | uint64_t{high_bits} << 32;
}

PENSTOCK_AVX2 void ClassifyByAvx2(const char* at, AsciiBlock& block) {
  const auto* const from = reinterpret_cast<const __m256i*>(at);
  const __m256i low = _mm256_loadu_si256(from);
  const __m256i high = _mm256_loadu_si256(from + 1);
  const __m256i to_small = _mm256_set1_epi8(0x20);
  block.letters = Bits(Among(_mm256_or_si256(low, to_small), 'a', 26),
                       Among(_mm256_or_si256(high, to_small), 'a', 26));
  block.capitals = Bits(Among(low, 'A', 26), Among(high, 'A', 26));
  block.digits = Bits(Among(low, '0', 10), Among(high, '0', 10));
  block.blanks = Bits(Equal(low, ' '), Equal(high, ' '));
  block.spaces = Bits(Among(low, '\t', 5), Among(high, '\t', 5)) | block.blanks;
  block.newlines = Bits(_mm256_or_si256(Equal(low, '\n'), Equal(low, '\r')),
                        _mm256_or_si256(Equal(high, '\n'), Equal(high, '\r')));
  block.apostrophes = Bits(Equal(low, '\''), Equal(high, '\''));
  block.slashes = Bits(Equal(low, '/'), Equal(high, '/'));
  const uint64_t controls =
      Bits(_mm256_or_si256(Among(low, 0, ' '), Equal(low, '\x7f')),
           _mm256_or_si256(Among(high, 0, ' '), Equal(high, '\x7f')));
  block.controls =
      controls & ~(block.newlines | Bits(Equal(low, '\t'), Equal(high, '\t')));
  block.wide = Bits(low, high);
  AddOthers(block);
}

// What has AVX2 has the instructions for single bits.
[[gnu::target("bmi,popcnt")]] size_t WritePlacesByBmi(uint64_t bits,
                                                      size_t begin,
                                                      size_t* places) {
  const auto count = static_cast<size_t>(_mm_popcnt_u64(bits));
  for (size_t i = 0; i < count; i += kWritten) {
    for (size_t k = 0; k < kWritten; ++k) {
      places[i + k] = begin + _tzcnt_u64(bits);
      bits = _blsr_u64(bits);
    }
  }
  return count;
}

PENSTOCK_AVX512 void ClassifyByAvx512(const char* at, AsciiBlock& block) {
  using avx512::Among, avx512::Equal;
  const __m512i bytes = _mm512_loadu_si512(at);
  block.letters =
      Among(_mm512_or_si512(bytes, _mm512_set1_epi8(0x20)), 'a', 26);
  block.capitals = Among(bytes, 'A', 26);
  block.digits = Among(bytes, '0', 10);
  block.blanks = Equal(bytes, ' ');
  block.spaces = Among(bytes, '\t', 5) | block.blanks;
  block.newlines = Equal(bytes, '\n') | Equal(bytes, '\r');
  block.apostrophes = Equal(bytes, '\'');
  block.slashes = Equal(bytes, '/');
  block.controls = (Among(bytes, 0, ' ') | Equal(bytes, '\x7f')) &
                   ~(block.newlines | Equal(bytes, '\t'));
  block.wide = _mm512_movepi8_mask(bytes);
  AddOthers(block);
}

PENSTOCK_AVX512 size_t WritePlacesByAvx512(uint64_t bits, size_t begin,
                                           size_t* places) {
  alignas(64) std::array<uint8_t, 64> small;
  _mm512_store_si512(small.data(),
                     _mm512_maskz_compress_epi8(bits, avx512::Places()));
  const __m512i base = _mm512_set1_epi64(static_cast<int64_t>(begin));
  const size_t count = std::popcount(bits);
  for (size_t i = 0; i < count; i += kWritten) {
    const __m512i wide = _mm512_cvtepu8_epi64(
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(small.data() + i)));
    _mm512_storeu_si512(places + i, _mm512_add_epi64(base, wide));
  }
  return count;
}

Instructions BestInstructions() {
  if (avx512::IsThere()) {
    return {ClassifyByAvx512, WritePlacesByAvx512};
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
      __builtin_cpu_supports("popcnt")) {
    return {ClassifyByAvx2, WritePlacesByBmi};
  }
  return {ClassifyBySse2, WritePlacesPlainly};
}

#else

void ClassifyPlainly(const char* at, AsciiBlock& block) {
  for (size_t i = 0; i < AsciiBlock::kBytes; ++i) {
    const auto byte = static_cast<unsigned char>(at[i]);
    const auto among = [byte](unsigned char first, unsigned char size) {
      return static_cast<unsigned char>(byte - first) < size;
    };
    const auto put = [i](uint64_t& bits, bool is) {
      bits |= uint64_t{is} << i;
    };
    put(block.letters, among('a', 26) || among('A', 26));
    put(block.capitals, among('A', 26));
    put(block.digits, among('0', 10));
    put(block.spaces, among('\t', 5) || byte == ' ');
    put(block.blanks, byte == ' ');
    put(block.newlines, byte == '\n' || byte == '\r');
    put(block.apostrophes, byte == '\'');
    put(block.slashes, byte == '/');
    put(block.controls,
        (byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r') ||
            byte == 0x7f);
    put(block.wide, byte >= 0x80);
  }
  AddOthers(block);
}

Instructions BestInstructions() {
  return {ClassifyPlainly, WritePlacesPlainly};
}

#endif

const Instructions kBest = BestInstructions();

}  // namespace

AsciiBlock::AsciiBlock(const char* at) { kBest.classify(at, *this); }

size_t WritePlaces(uint64_t bits, size_t begin, size_t* places) {
  return kBest.write_places(bits, begin, places);
}

}  // namespace penstock
