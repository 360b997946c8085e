// Wraps bytes for a file, piece by piece.
//
// Implementations form a star around this header: gzip_compressor,
// zlib_compressor.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "formats/files/status.h"

namespace penstock {

// By how much implementations let their output grow at a time.
inline constexpr size_t kCompressorStepBytes = 64 << 10;

// Threads: one at a time.
class Compressor {
 public:
  virtual ~Compressor() = default;

  // Appends to `out` what is ready of the wrapped form of all bytes so far.
  virtual Status Add(std::string_view bytes, std::string& out) = 0;
  // Appends the rest and the trailer. Nothing may be added afterwards.
  virtual Status Finish(std::string& out) = 0;
};

}  // namespace penstock
