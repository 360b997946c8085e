// Packed varints, four of them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace penstock {

// Whether this processor can run the functions below: SSE4.1 and BMI (Intel
// from Haswell on, every AMD Zen).
bool HasSse4Varints();

// The contracts are those of formats/wire/packed_varints.h.
const char* DecodeVarintsSse4(std::string_view chunk, int64_t* out);
ptrdiff_t DecodeVarints32Sse4(std::string_view chunk, int32_t* out);

}  // namespace penstock
