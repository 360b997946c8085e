// What reading past the end of a mapped file does instead of ending the
// process.
#pragma once

#include <cstddef>

namespace penstock {

// While it lives, a SIGBUS raised by reading [begin, begin + size_bytes), which
// begins a mapping, puts zero bytes in place of what is gone, and hit() tells
// of it. The first one made puts a handler for SIGBUS in place, once for the
// process and for good; what it does not know it passes on to the handler that
// was there before.
//
// Limits:  a handler that the program installs later takes its place.
// Threads: any number at a time.
class SigbusGuard {
 public:
  SigbusGuard(const void* begin, size_t size_bytes);
  ~SigbusGuard();
  SigbusGuard(const SigbusGuard&) = delete;
  SigbusGuard& operator=(const SigbusGuard&) = delete;

  // True for good once something was gone.
  bool hit() const;

  struct Range;

 private:
  Range* const range_;
};

}  // namespace penstock
