// Penstock's own table of chips.
#pragma once

#include <string_view>

namespace penstock {

// JSON: {"chips": {name: {field: {"value": ..., "source": ...}}}}. Where
// sources disagree the makers' documentation counts, and the others are named.
std::string_view ChipTable();

}  // namespace penstock
