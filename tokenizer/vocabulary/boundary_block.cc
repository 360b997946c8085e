#include "tokenizer/vocabulary/boundary_block.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "tokenizer/unicode/avx512.h"

namespace penstock {

AsciiPairs::AsciiPairs(const Befores& befores) {
  // Of the first group: none.
  std::vector<std::bitset<kChars>> by_group(1);
  for (size_t c = 0; c < kChars; ++c) {
    size_t group = std::find(by_group.begin(), by_group.end(), befores[c]) -
                   by_group.begin();
    if (group == kGroups) {
      by_group.back() |= befores[c];
      group = kGroups - 1;
    } else if (group == by_group.size()) {
      by_group.push_back(befores[c]);
    }
    groups_[c] = static_cast<uint8_t>(group);
  }
  for (size_t group = 0; group < by_group.size(); ++group) {
    for (size_t c = 0; c < kChars; ++c) {
      rows_[c] |= uint64_t{by_group[group][c]} << group;
    }
  }
  FindPairs();
}

void AsciiPairs::FindPairs() {
  const size_t groups =
      size_t{*std::max_element(groups_.begin(), groups_.end())} + 1;
  planes_ = (groups + 7) / 8;
  for (size_t plane = 0; plane < kPlanes; ++plane) {
    for (size_t c = 0; c < kChars; ++c) {
      row_planes_[plane][c] = static_cast<uint8_t>(rows_[c] >> 8 * plane);
      group_planes_[plane][c] = static_cast<uint8_t>(
          groups_[c] / 8 == plane ? 1 << groups_[c] % 8 : 0);
    }
  }
  for (size_t before = 0; before < kChars; ++before) {
    for (size_t after = 0; after < kChars; ++after) {
      joined_[before | after << 8] =
          static_cast<uint8_t>(rows_[before] >> groups_[after] & 1);
    }
  }
}

void AsciiPairs::Save(TableWriter& to) const {
  to.PutText({reinterpret_cast<const char*>(rows_.data()), sizeof(rows_)});
  to.PutText({reinterpret_cast<const char*>(groups_.data()), sizeof(groups_)});
}

AsciiPairs AsciiPairs::Load(TableReader& from) {
  AsciiPairs pairs;
  const std::string_view rows = from.Text();
  const std::string_view groups = from.Text();
  from.Expect(rows.size() == sizeof(pairs.rows_) &&
              groups.size() == sizeof(pairs.groups_) &&
              std::all_of(groups.begin(), groups.end(), [](char group) {
                return static_cast<unsigned char>(group) < kGroups;
              }));
  if (!from.ok()) return pairs;
  std::memcpy(pairs.rows_.data(), rows.data(), rows.size());
  std::memcpy(pairs.groups_.data(), groups.data(), groups.size());
  pairs.FindPairs();
  return pairs;
}

uint64_t AsciiPairs::JoinedPlainly(const char* at) const {
  uint64_t joined = 0;
  for (size_t i = 0; i < BoundaryBlock::kBytes; ++i) {
    uint16_t pair;
    std::memcpy(&pair, at + i, sizeof(pair));
    joined |= uint64_t{joined_[pair & 0x7f7f]} << i;
  }
  return joined;
}

BoundaryBlock::BoundaryBlock(const char* at, const AsciiPairs& pairs) {
#if defined(__x86_64__)
  static const bool has_avx512 = avx512::IsThere();
  if (has_avx512) {
    LookByAvx512(at, pairs);
    return;
  }
#endif
  LookPlainly(at, pairs);
}

#if defined(__x86_64__)

void BoundaryBlock::LookPlainly(const char* at, const AsciiPairs& pairs) {
  joined = pairs.JoinedPlainly(at);
  for (size_t i = 0; i < kBytes; i += 16) {
    const auto bytes = [&](size_t behind) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + i + behind));
    };
    const auto are = [&](size_t behind, unsigned char byte) {
      return _mm_cmpeq_epi8(bytes(behind),
                            _mm_set1_epi8(static_cast<char>(byte)));
    };
    const auto put = [i](uint64_t& bits, __m128i mask) {
      bits |= uint64_t{static_cast<uint32_t>(_mm_movemask_epi8(mask))} << i;
    };
    put(wide, bytes(0));
    put(trails, _mm_cmplt_epi8(bytes(0), _mm_set1_epi8(-64)));
    put(spaces,
        _mm_and_si128(_mm_and_si128(are(0, 0xe2), are(1, 0x96)), are(2, 0x81)));
  }
}

// What 128 bytes have for each byte, without its highest bit.
PENSTOCK_AVX512 static inline __m512i ByChar(const uint8_t* bytes,
                                             __m512i chars) {
  return _mm512_permutex2var_epi8(_mm512_load_si512(bytes), chars,
                                  _mm512_load_si512(bytes + 64));
}

PENSTOCK_AVX512 void BoundaryBlock::LookByAvx512(const char* at,
                                                 const AsciiPairs& pairs) {
  const __m512i bytes = _mm512_loadu_si512(at);
  const __m512i next = _mm512_loadu_si512(at + 1);
  for (size_t plane = 0; plane < pairs.planes_; ++plane) {
    joined |=
        _mm512_test_epi8_mask(ByChar(pairs.row_planes_[plane].data(), bytes),
                              ByChar(pairs.group_planes_[plane].data(), next));
  }
  wide = _mm512_movepi8_mask(bytes);
  trails = _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(-64));
  spaces = avx512::Equal(bytes, '\xe2') & avx512::Equal(next, '\x96') &
           avx512::Equal(_mm512_loadu_si512(at + 2), '\x81');
}

#else

void BoundaryBlock::LookPlainly(const char* at, const AsciiPairs& pairs) {
  joined = pairs.JoinedPlainly(at);
  for (size_t i = 0; i < kBytes; ++i) {
    wide |= uint64_t{static_cast<signed char>(at[i]) < 0} << i;
    trails |= uint64_t{static_cast<signed char>(at[i]) < -64} << i;
    spaces |= uint64_t{std::memcmp(at + i, "\xe2\x96\x81", 3) == 0} << i;
  }
}

#endif

}  // namespace penstock
