// Packed varints on processors that have AVX2 and take single bits out of a
// word at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace penstock {

// Whether this processor and its system can run the functions below, and
// quickly: AVX2 and BMI2 (Intel from Haswell on, AMD from Zen 3 on, as PEXT
// takes many steps on those before).
bool HasBmi2Varints();

// That of formats/wire/packed_varints.h.
size_t CountVarintsBmi2(std::string_view chunk);

// Decodes values from the front of `chunk` as long as each takes up to four
// bytes, but for some at its end, and moves `out` behind them. Returns where
// the next value begins.
const char* DecodeShortVarintsBmi2(std::string_view chunk, int64_t*& out);

}  // namespace penstock
