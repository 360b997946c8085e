#include "pipeline/build/narrow.h"

#include <cstddef>

namespace penstock {
namespace {

// The loop has no branch, so it vectorises, with what its caller may use.
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

}  // namespace

bool Narrow(std::span<const int64_t> from, int32_t* to) {
  return kHasAvx512 ? NarrowAvx512(from, to) : NarrowAll(from, to);
}

}  // namespace penstock
