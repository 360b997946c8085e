// Packed varints, up to 64 bytes of them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace penstock {

// Whether this processor and its system can run the functions below: AVX-512
// with VBMI and VBMI2 (Intel from Ice Lake on, AMD from Zen 4 on).
bool HasAvx512Varints();

// The contracts are those of formats/wire/packed_varints.h.
size_t CountVarintsAvx512(std::string_view chunk);
const char* DecodeVarintsAvx512(std::string_view chunk, int64_t* out);
ptrdiff_t DecodeVarints32Avx512(std::string_view chunk, int32_t* out);

}  // namespace penstock
