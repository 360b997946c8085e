// Code that is made once for each integer type of a tensor.
#pragma once

#include <cstdint>
#include <utility>

#include "pipeline/contract.h"

namespace penstock {

// Calls `made` with a zero of the type, which is an integer type.
template <typename Made>
auto ForInteger(ElementType type, const Made& made) {
  switch (type) {
    case ElementType::kInt8:
      return made(int8_t{});
    case ElementType::kInt16:
      return made(int16_t{});
    case ElementType::kInt64:
      return made(int64_t{});
    case ElementType::kUint8:
      return made(uint8_t{});
    case ElementType::kUint16:
      return made(uint16_t{});
    case ElementType::kUint32:
      return made(uint32_t{});
    default:
      return made(int32_t{});
  }
}

}  // namespace penstock
