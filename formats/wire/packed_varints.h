// Packed varints, the form in which token ids lie in an Example.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace penstock {

// How many varints end in `chunk`.
//
// Cost:    about 10 bytes a ns.
size_t CountVarints(std::string_view chunk);

// So many values more than there are may be written, whatever they are.
inline constexpr size_t kVarintSlack = 3;

// Decodes CountVarints(chunk) values to `out`, where there is room for them and
// kVarintSlack. Returns null, or the varint that is cut off or longer than 10
// bytes.
//
// Cost:    values of up to 4 bytes go 16 at once where the processor has
//          AVX-512 VBMI2, four at once in half the time of the portable way
//          with SSE4.1 and BMI, otherwise as below.
const char* DecodeVarints(std::string_view chunk, int64_t* out);

// The same without special instructions.
//
// Cost:    values of up to 4 bytes go two at once, without branches on their
//          sizes; 64 at once where all take one byte.
const char* DecodeVarintsPortable(std::string_view chunk, int64_t* out);

// The same, and returns how many values there are; -1 where one is no int32,
// cut off or too long. (No std::optional: it is read back in one piece, which
// waits until all that was stored before its flag has left for the cache.)
ptrdiff_t DecodeVarints32(std::string_view chunk, int32_t* out);
ptrdiff_t DecodeVarints32Portable(std::string_view chunk, int32_t* out);

// The verdict of DecodeVarints() without the values.
const char* CheckVarints(std::string_view chunk);

}  // namespace penstock
