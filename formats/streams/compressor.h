// Wraps bytes for a file, piece by piece.
//
// Implementations form a star around this header: gzip_compressor,
// zlib_compressor.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace penstock {

// Threads: one at a time.
class Compressor {
 public:
  virtual ~Compressor() = default;

  // Appends to `out` what is ready of the wrapped form of all bytes so far.
  virtual absl::Status Add(std::string_view bytes, std::string& out) = 0;
  // Appends the rest and the trailer. Nothing may be added afterwards.
  virtual absl::Status Finish(std::string& out) = 0;
};

}  // namespace penstock
