// Which of the graphs that are drawn by a number a test runs.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace penstock::testing {

// How many are worth their time.
struct GraphCounts {
  uint64_t release = 0;
  uint64_t debug = 0;
  uint64_t asan = 0;
  uint64_t tsan = 0;
};

struct GraphNumbers {
  uint64_t first = 0;
  uint64_t end = 0;
  bool one = false;  // a failure that is run again
};

// PENSTOCK_GRAPH=N asks for graph N alone, PENSTOCK_GRAPHS=N for so many.
inline GraphNumbers NumbersOf(const GraphCounts& counts) {
  if (const char* text = std::getenv("PENSTOCK_GRAPH")) {
    const uint64_t number = std::strtoull(text, nullptr, 10);
    return {number, number + 1, true};
  }
  if (const char* text = std::getenv("PENSTOCK_GRAPHS")) {
    return {0, std::strtoull(text, nullptr, 10)};
  }
#if defined(__SANITIZE_THREAD__)
  return {0, counts.tsan};
#elif defined(__SANITIZE_ADDRESS__)
  return {0, counts.asan};
#elif !defined(NDEBUG)
  return {0, counts.debug};
#else
  return {0, counts.release};
#endif
}

}  // namespace penstock::testing
