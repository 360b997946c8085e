// The values of one BytesList, FloatList or Int64List of an Example.
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/examples.h"
#include "formats/wire_format.h"

namespace penstock {

// Each puts the values behind those in `column` and adds their number to
// `values`; a null column only counts them. False with `defect` set for bytes
// that are no such list; then a part of the values is there.
bool TakeBytes(std::string_view message, Column* column, uint64_t& values,
               WireDefect& defect);
bool TakeFloats(std::string_view message, Column* column, uint64_t& values,
                WireDefect& defect);
bool TakeInts(std::string_view message, Column* column, uint64_t& values,
              WireDefect& defect);

// How deep unknown groups may be nested in a list, which itself lies four
// messages deep.
inline constexpr int kGroupsInList = kWireDepthLimit - 4;

}  // namespace penstock
