// Values as they are decoded -> values of a batch.
#pragma once

#include <cstdint>
#include <span>

#include "pipeline/contract.h"

namespace penstock {

// Writes from.size() values of type `to_type`, an integer type or bool, behind
// `to`. False where a value does not fit; what was written then means nothing.
bool Narrow(std::span<const int64_t> from, ElementType to_type, void* to);

// The same for float32, bfloat16 and float16: the nearest value, of two the
// even one. A finite value that would become infinite does not fit.
bool Narrow(std::span<const float> from, ElementType to_type, void* to);

}  // namespace penstock
