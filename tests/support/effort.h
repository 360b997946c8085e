// How much of a long table of cases a run tries.
#pragma once

#include <cstddef>

namespace penstock::testing {

// A sanitizer looks at how the code goes about a case, not at what comes out of
// all of them, and takes ten times as long: that of memory is given every
// seventh, that of threads, who do the same in each, every 23rd. Bits and
// values of a byte share no divisor with these, so each is met somewhere.
#if defined(__SANITIZE_THREAD__)
inline constexpr size_t kCaseStride = 23;
#elif defined(__SANITIZE_ADDRESS__)
inline constexpr size_t kCaseStride = 7;
#else
inline constexpr size_t kCaseStride = 1;
#endif

// So many of `all` random cases.
constexpr int Cases(int all) { return all / static_cast<int>(kCaseStride); }

}  // namespace penstock::testing
