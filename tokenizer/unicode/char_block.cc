#include "tokenizer/unicode/char_block.h"

#include <array>
#include <bit>
#include <cstddef>
#include <string_view>

#include "tokenizer/unicode/avx512.h"
#include "tokenizer/unicode/char_scan.h"
#include "tokenizer/unicode/unicode_data.h"

namespace penstock {
namespace {

// Four groups that begin with the same byte.
struct MixedGroups {
  uint8_t lead;
  uint8_t second;  // the next byte in the first of them
};
constexpr MixedGroups kMixedGroups[] = {
    {0xe1, 0xb8},  // Latin Extended Additional, Greek Extended
    {0xe2, 0x80},  // General Punctuation, Currency Symbols
    {0xe3, 0x80},  // CJK Symbols and Punctuation, Hiragana, Katakana
    {0xef, 0xbc},  // Halfwidth and Fullwidth Forms
};
constexpr size_t kGroup = 64;  // characters

// [places / 8]: a bit for each place.
template <size_t kPlaces>
struct ClassBits {
  alignas(64) std::array<uint8_t, kPlaces / 8> bytes{};

  void Set(size_t place) { bytes[place / 8] |= 1u << place % 8; }
  bool Has(size_t place) const { return bytes[place / 8] >> place % 8 & 1; }
};

template <size_t kPlaces>
struct Classes {
  ClassBits<kPlaces> told, letters, capitals, caseless;

  void Set(size_t place, uint8_t char_class) {
    if (char_class & (kNumber | kSpace | kMark)) return;
    told.Set(place);
    if (!(char_class & kLetter)) return;
    letters.Set(place);
    if (char_class & kUpper) capitals.Set(place);
    if (!(char_class & (kUpper | kLower))) caseless.Set(place);
  }
};

struct Tables {
  Classes<0x800> two;     // [code point], for two bytes
  Classes<0x400> groups;  // [code point / 64], where one class is all
  Classes<0x400> mixed;   // [place in kMixedGroups, group, character]
  // By the low four bits of the first byte: the second byte of kMixedGroups, 0
  // without; the place there times four.
  alignas(16) std::array<uint8_t, 16> mixed_second{};
  alignas(16) std::array<uint8_t, 16> mixed_place{};

  Tables() {
    for (uint32_t c = 0x80; c < 0x800; ++c) two.Set(c, ClassOf(c));
    for (uint32_t group = 0x800 / kGroup; group < 0x10000 / kGroup; ++group) {
      if (IsSurrogate(group * kGroup)) continue;
      const uint8_t first = ToldOf(group * kGroup);
      uint32_t same = 1;
      while (same < kGroup && ToldOf(group * kGroup + same) == first) ++same;
      if (same == kGroup) groups.Set(group, first);
    }
    for (size_t place = 0; place < std::size(kMixedGroups); ++place) {
      const auto [lead, second] = kMixedGroups[place];
      mixed_second[lead & 0xf] = second;
      mixed_place[lead & 0xf] = static_cast<uint8_t>(place * 4);
      const uint32_t first = (lead & 0xfu) << 12 | (second & 0x3fu) << 6;
      for (uint32_t i = 0; i < 4 * kGroup; ++i) {
        mixed.Set(place * 4 * kGroup + i, ClassOf(first + i));
      }
    }
  }

  // Signs are others, as what has no class is.
  static uint8_t ToldOf(uint32_t c) { return ClassOf(c) & ~kSign; }
  static bool IsSurrogate(uint32_t c) { return c >= 0xd800 && c < 0xe000; }
};
const Tables kTables;

}  // namespace

#if defined(__x86_64__)

namespace {

// Each lane's byte of 128.
PENSTOCK_AVX512 inline __m512i Byte(const uint8_t* of, __m512i index) {
  return _mm512_permutex2var_epi8(_mm512_load_si512(of), index,
                                  _mm512_load_si512(of + 64));
}
// Whether each lane's byte `index`, of 128 or of 256, has the bit.
PENSTOCK_AVX512 inline uint64_t Look(const ClassBits<0x400>& bits,
                                     __m512i index, __m512i bit) {
  return _mm512_test_epi8_mask(Byte(bits.bytes.data(), index), bit);
}
PENSTOCK_AVX512 inline uint64_t Look(const ClassBits<0x800>& bits,
                                     __m512i index, __m512i bit) {
  const uint8_t* const at = bits.bytes.data();
  return _mm512_test_epi8_mask(
      _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), Byte(at, index),
                             Byte(at + 128, index)),
      bit);
}

// Where characters begin that are told, and those of them that are so.
struct Begins {
  uint64_t told = 0, letters = 0, capitals = 0, caseless = 0;

  template <size_t kPlaces>
  PENSTOCK_AVX512 inline void Add(const Classes<kPlaces>& classes,
                                  uint64_t among, __m512i index, __m512i bit) {
    told |= among & Look(classes.told, index, bit);
    letters |= among & Look(classes.letters, index, bit);
    capitals |= among & Look(classes.capitals, index, bit);
    caseless |= among & Look(classes.caseless, index, bit);
  }

  // Adds them with the bytes behind the first, of which there are `kInner`.
  template <int kInner>
  void AddTo(CharBlock& block) const {
    const auto inner = [](uint64_t begins) {
      return kInner == 1 ? begins << 1 : begins << 1 | begins << 2;
    };
    block.inner |= inner(told);
    block.wide &= ~(told | inner(told));
    block.letters |= letters | inner(letters);
    block.capitals |= capitals | inner(capitals);
    block.caseless |= caseless | inner(caseless);
    const uint64_t others = told & ~letters;
    block.others |= others | inner(others);
  }
};

// Bytes shifted by bits, zeros behind them.
PENSTOCK_AVX512 inline __m512i ShiftLeft3(__m512i bytes) {
  return _mm512_and_si512(_mm512_slli_epi16(bytes, 3),
                          _mm512_set1_epi8(static_cast<char>(0xf8)));
}
PENSTOCK_AVX512 inline __m512i ByLow4(const std::array<uint8_t, 16>& table,
                                      __m512i bytes) {
  return _mm512_shuffle_epi8(
      _mm512_broadcast_i32x4(
          _mm_load_si128(reinterpret_cast<const __m128i*>(table.data()))),
      _mm512_and_si512(bytes, _mm512_set1_epi8(0xf)));
}
// The bytes `distance` behind each.
PENSTOCK_AVX512 inline __m512i Behind(__m512i bytes, char distance) {
  const __m512i from =
      _mm512_add_epi8(avx512::Places(), _mm512_set1_epi8(distance));
  return _mm512_permutexvar_epi8(from, bytes);
}

PENSTOCK_AVX512 void TellAllByAvx512(const char* at, CharBlock& block) {
  const __m512i first = _mm512_loadu_si512(at);
  const uint64_t tails =
      _mm512_cmplt_epi8_mask(first, _mm512_set1_epi8('\xc0'));
  const uint64_t twos = avx512::Among(first, '\xc2', 30) & tails >> 1;
  const uint64_t threes =
      avx512::Among(first, '\xe0', 16) & tails >> 1 & tails >> 2;
  // The five bits of the first byte and three of the second; the other three.
  const __m512i second = Behind(first, 1);
  const __m512i index =
      _mm512_or_si512(ShiftLeft3(first), avx512::Bits3To5(second));
  const __m512i bit = avx512::BitOf(second);
  if (twos != 0) {
    Begins begins;
    begins.Add(kTables.two, twos, index, bit);
    begins.AddTo<1>(block);
  }
  if (threes != 0) {
    Begins begins;
    begins.Add(kTables.groups, threes, index, bit);
    const uint64_t mixed =
        threes & _mm512_cmpeq_epi8_mask(
                     _mm512_and_si512(second, _mm512_set1_epi8('\xfc')),
                     ByLow4(kTables.mixed_second, first));
    if (mixed != 0) {
      const __m512i third = Behind(first, 2);
      const __m512i group =
          _mm512_or_si512(ByLow4(kTables.mixed_place, first),
                          _mm512_and_si512(second, _mm512_set1_epi8(3)));
      begins.Add(kTables.mixed, mixed,
                 _mm512_or_si512(ShiftLeft3(group), avx512::Bits3To5(third)),
                 avx512::BitOf(third));
    }
    begins.AddTo<2>(block);
  }
}

const bool kAllAtOnce = avx512::IsThere();

}  // namespace

CharBlock::CharBlock(const char* at) : AsciiBlock(at) {
  // Behind one that is not told the others are of little use.
  const int first = std::countr_zero(wide | uint64_t{1} << (kBytes - 1));
  if (first == kBytes - 1 || !MayTellWide(at + first)) return;
  kAllAtOnce ? TellAllByAvx512(at, *this) : TellOneByOne(at);
}

#else

CharBlock::CharBlock(const char* at) : AsciiBlock(at) { TellOneByOne(at); }

#endif

bool CharBlock::MayTellWide(const char* at) {
  const auto first = static_cast<unsigned char>(at[0]);
  const auto second = static_cast<unsigned char>(at[1]);
  const size_t place = (first & 0x1f) << 6 | (second & 0x3f);
  if (first < 0xe0) return kTables.two.told.Has(place);
  return first < 0xf0 && (kTables.groups.told.Has(place) ||
                          kTables.mixed_second[first & 0xf] == (second & 0xfc));
}

CharBlock CharBlock::OneByOne(const char* at) {
  CharBlock block(at, false);
  block.TellOneByOne(at);
  return block;
}

void CharBlock::TellOneByOne(const char* at) {
  const std::string_view text(at, kBytes);
  while (wide != 0) {
    const int pos = std::countr_zero(wide);
    const Char c = WideCharAt(text, pos);
    if (c.code_point == kNotACharacter ||
        (c.char_class & (kNumber | kSpace | kMark)) != 0) {
      return;
    }
    const uint64_t first = uint64_t{1} << pos;
    const uint64_t all = (first << c.size_bytes) - first;
    wide &= ~all;
    inner |= all & ~first;
    const auto bits = [&](uint8_t of) {
      return (c.char_class & of) != 0 ? all : 0;
    };
    letters |= bits(kLetter);
    capitals |= bits(kUpper);
    caseless |= bits(kLetter) & ~bits(kUpper | kLower);
    others |= all & ~bits(kLetter);
  }
}

}  // namespace penstock
