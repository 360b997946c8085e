// The bytes inside a zstd (RFC 8878) file, any number of frames.
#pragma once

#include <memory>

#include "formats/streams/byte_stream.h"

namespace penstock {

// The checksum of each frame that has one is verified; skippable frames give
// nothing. A frame without one (`zstd --no-check`) is taken as it is.
// Errors:  kDataLoss where a frame is cut off or fails its checksum, or where
//          bytes that are neither a frame nor all zero follow one;
//          kResourceExhausted for a window over 128 MiB (`zstd --long=28` and
//          more), before it is allocated.
// Cost:    about 1.5 GB/s of output on one core; the frame's window and
//          0.5 MiB of memory.
std::unique_ptr<ByteStream> MakeZstdStream(std::unique_ptr<ByteStream> source);

}  // namespace penstock
