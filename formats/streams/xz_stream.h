// The bytes inside an .xz file, any number of streams.
#pragma once

#include <memory>

#include "formats/streams/byte_stream.h"

namespace penstock {

// The checks inside (CRC-32, CRC-64 or SHA-256) are verified.
// Errors:  kDataLoss where a stream is cut off, damaged or fails its check, or
//          where anything but zero bytes follows the last; kResourceExhausted
//          for a dictionary that needs more than 256 MiB to decode (`xz -9`
//          needs 65 MiB), before it is allocated.
// Cost:    about 160 MB/s of output on one core.
std::unique_ptr<ByteStream> MakeXzStream(std::unique_ptr<ByteStream> source);

}  // namespace penstock
