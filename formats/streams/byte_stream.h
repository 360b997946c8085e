// The bytes of one file in sequence, unwrapped.
//
// Implementations form a star around this header: plain_stream, memory_stream,
// gzip_stream, zlib_stream, zstd_stream, xz_stream, bzip2_stream.
// formats/streams/open_stream.h picks one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "formats/files/status_or.h"

namespace penstock {

// Threads: one at a time.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // Puts at least one byte into `out`, which must not be empty, and returns how
  // many; 0 only at the proven end, again and again.
  // Errors:  kDataLoss where bytes are cut off or fail their checksum,
  //          kInvalidArgument where the file is not wrapped this way,
  //          kFailedPrecondition where it changed while it was read, and those
  //          of ReadableFile. The error comes after the bytes before it and
  //          for ever. Each names the file.
  virtual StatusOr<size_t> Read(std::span<char> out) = 0;

  // Passes the next `size` bytes, which nobody wants; there must be so many.
  // Errors:  those of Read.
  virtual Status Skip(uint64_t size);

  // How many bytes there are in all, where that is known before the end.
  virtual std::optional<uint64_t> size_bytes() const = 0;

  virtual const std::string& path() const = 0;
};

}  // namespace penstock
