#include "pipeline/build/narrow.h"

#include <bit>
#include <cstddef>
#include <cstring>

namespace penstock {
namespace {

// The loops have no branch, so they vectorise, with what their caller may use.
template <typename T>
[[gnu::always_inline]] inline bool NarrowAll(std::span<const int64_t> from,
                                             T* to) {
  uint64_t outside = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    to[i] = static_cast<T>(from[i]);
    outside |= static_cast<uint64_t>(from[i] ^ static_cast<int64_t>(to[i]));
  }
  return outside == 0;
}

template <>
[[gnu::always_inline]] inline bool NarrowAll(std::span<const int64_t> from,
                                             int32_t* to) {
  uint64_t outside = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    const auto value = static_cast<uint64_t>(from[i]);
    outside |= (value + 0x80000000u) >> 32;
    to[i] = static_cast<int32_t>(value);
  }
  return outside == 0;
}

// Source:  the bit layout of IEEE 754 binary16; numbers below the least normal
//          one are rounded by the processor where they are added to 0.5, whose
//          last bit is worth as much as theirs.
uint16_t ToFloat16(uint32_t bits, bool& outside) {
  const uint32_t sign = (bits >> 16) & 0x8000;
  const uint32_t size = bits & 0x7fffffff;
  uint32_t half = 0;
  if (size > 0x7f800000) {  // NaN
    half = 0x7e00 | ((size >> 13) & 0x3ff);
  } else if (size == 0x7f800000) {
    half = 0x7c00;
  } else if (size < 0x38800000) {
    half =
        std::bit_cast<uint32_t>(std::bit_cast<float>(size) + 0.5f) - 0x3f000000;
  } else {
    half = (size + 0xc8000fff + ((size >> 13) & 1)) >> 13;
    if (size >= 0x47800000 || half >= 0x7c00) outside = true;
  }
  return static_cast<uint16_t>(sign | half);
}

uint16_t ToBFloat16(uint32_t bits, bool& outside) {
  const uint32_t size = bits & 0x7fffffff;
  if (size > 0x7f800000) return static_cast<uint16_t>((bits >> 16) | 0x40);
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  if (size < 0x7f800000 && (rounded & 0x7fff) == 0x7f80) outside = true;
  return static_cast<uint16_t>(rounded);
}

#if defined(__x86_64__)

const bool kHasAvx512 = __builtin_cpu_supports("avx512f") &&
                        __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl");

[[gnu::target("avx512f,avx512dq,avx512vl")]] bool NarrowAvx512(
    std::span<const int64_t> from, int32_t* to) {
  return NarrowAll(from, to);
}

#else

constexpr bool kHasAvx512 = false;
bool NarrowAvx512(std::span<const int64_t> from, int32_t* to) {
  return NarrowAll(from, to);
}

#endif

bool NarrowBools(std::span<const int64_t> from, uint8_t* to) {
  uint64_t outside = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    to[i] = static_cast<uint8_t>(from[i]);
    outside |= static_cast<uint64_t>(from[i]) & ~uint64_t{1};
  }
  return outside == 0;
}

}  // namespace

bool Narrow(std::span<const int64_t> from, ElementType to_type, void* to) {
  switch (to_type) {
    case ElementType::kInt8:
      return NarrowAll(from, static_cast<int8_t*>(to));
    case ElementType::kInt16:
      return NarrowAll(from, static_cast<int16_t*>(to));
    case ElementType::kInt32:
      return kHasAvx512 ? NarrowAvx512(from, static_cast<int32_t*>(to))
                        : NarrowAll(from, static_cast<int32_t*>(to));
    case ElementType::kInt64:
      std::memcpy(to, from.data(), from.size_bytes());
      return true;
    case ElementType::kUint8:
      return NarrowAll(from, static_cast<uint8_t*>(to));
    case ElementType::kUint16:
      return NarrowAll(from, static_cast<uint16_t*>(to));
    case ElementType::kUint32:
      return NarrowAll(from, static_cast<uint32_t*>(to));
    case ElementType::kBool:
      return NarrowBools(from, static_cast<uint8_t*>(to));
    default:
      return false;
  }
}

bool Narrow(std::span<const float> from, ElementType to_type, void* to) {
  if (to_type == ElementType::kFloat32) {
    std::memcpy(to, from.data(), from.size_bytes());
    return true;
  }
  auto* const halves = static_cast<uint16_t*>(to);
  bool outside = false;
  for (size_t i = 0; i < from.size(); ++i) {
    const auto bits = std::bit_cast<uint32_t>(from[i]);
    halves[i] = to_type == ElementType::kFloat16 ? ToFloat16(bits, outside)
                                                 : ToBFloat16(bits, outside);
  }
  return !outside;
}

}  // namespace penstock
