// int64 values -> int32.
#pragma once

#include <cstdint>
#include <span>

namespace penstock {

// Writes from.size() values behind `to`. False where a value does not fit;
// what was written then means nothing.
bool Narrow(std::span<const int64_t> from, int32_t* to);

}  // namespace penstock
