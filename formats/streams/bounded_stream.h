// Stops a stream that unpacks to more than it should.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "formats/files/status.h"
#include "formats/streams/byte_stream.h"
#include "formats/streams/unpack_limits.h"

namespace penstock {

// The bytes of `unpacked`, which come out of `packed_bytes` bytes.
// Errors:  kResourceExhausted naming the limit, instead of the bytes over it.
std::unique_ptr<ByteStream> MakeBoundedStream(
    std::unique_ptr<ByteStream> unpacked, uint64_t packed_bytes,
    UnpackLimits limits);

// The error where `unpacked_bytes` out of `packed_bytes` are too many.
Status CheckUnpacked(const std::string& path, uint64_t unpacked_bytes,
                     uint64_t packed_bytes, const UnpackLimits& limits);

}  // namespace penstock
