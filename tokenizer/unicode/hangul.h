// Hangul syllables by arithmetic: The Unicode Standard, section 3.12.
#pragma once

#include <cstdint>

namespace penstock::hangul {

inline constexpr uint32_t kSBase = 0xac00, kLBase = 0x1100, kVBase = 0x1161,
                          kTBase = 0x11a7;
inline constexpr uint32_t kLCount = 19, kVCount = 21, kTCount = 28;
inline constexpr uint32_t kSCount = kLCount * kVCount * kTCount;

inline bool IsSyllable(uint32_t c) { return c - kSBase < kSCount; }

}  // namespace penstock::hangul
