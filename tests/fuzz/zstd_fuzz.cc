// Any bytes: the zstd stream agrees with ZSTD_decompress over all of them, and
// no decoder's result depends on the size of the buffer asked with.

#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "formats/streams/memory_stream.h"
#include "formats/streams/open_stream.h"

namespace penstock::testing {
namespace {

constexpr size_t kMostBytes = 1 << 20;

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "zstd_fuzz: %s\n", what);
  std::abort();
}

struct Decoded {
  std::string bytes;
  Status status;
};

// Up to about kMostBytes.
Decoded Decode(std::string_view packed, Compression compression,
               size_t out_bytes) {
  const auto stream = Unwrap(MakeMemoryStream("f", packed), compression);
  Decoded decoded;
  std::string buffer(out_bytes, '\0');
  while (decoded.bytes.size() < kMostBytes) {
    const auto got = stream->Read(buffer);
    decoded.status = got.status();
    if (!got.ok() || *got == 0) break;
    decoded.bytes.append(buffer, 0, *got);
  }
  return decoded;
}

// libzstd takes some frames at once that it refuses, as the zstd program does,
// where it decodes a stream.
bool StreamTakes(std::string_view packed) {
  ZSTD_DCtx* const state = ZSTD_createDCtx();
  std::string out(kMostBytes, '\0');
  ZSTD_outBuffer to = {out.data(), out.size(), 0};
  ZSTD_inBuffer in = {packed.data(), packed.size(), 0};
  size_t left = 0;
  while (in.pos < in.size && to.pos < to.size && !ZSTD_isError(left)) {
    left = ZSTD_decompressStream(state, &to, &in);
  }
  ZSTD_freeDCtx(state);
  return left == 0;
}

std::string_view WithoutPadding(std::string_view bytes) {
  return bytes.substr(0, bytes.find_last_not_of('\0') + 1);
}

void TestOneInput(std::string_view bytes) {
  std::string expected(kMostBytes, '\0');
  for (const Compression compression :
       {Compression::kZstd, Compression::kXz, Compression::kBzip2}) {
    const Decoded large = Decode(bytes, compression, 1 << 16);
    const Decoded small = Decode(bytes, compression, 37);
    if (large.bytes.size() >= kMostBytes) continue;
    Require(large.status.ok() == small.status.ok(), "the end varies");
    Require(!large.status.ok() || large.bytes == small.bytes, "bytes vary");
    if (compression != Compression::kZstd || bytes.empty()) continue;
    if (large.status.code() == StatusCode::kResourceExhausted) continue;
    // Zeros are padding for us only; a last frame may end with some, too.
    for (const std::string_view packed : {bytes, WithoutPadding(bytes)}) {
      const size_t size = ZSTD_decompress(expected.data(), expected.size(),
                                          packed.data(), packed.size());
      if (ZSTD_isError(size)) continue;
      if (packed.empty() || !StreamTakes(packed)) continue;
      Require(large.status.ok(), "refused what libzstd takes");
      Require(large.bytes == std::string_view(expected).substr(0, size),
              "other bytes than libzstd");
    }
  }
}

}  // namespace
}  // namespace penstock::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  penstock::testing::TestOneInput({reinterpret_cast<const char*>(data), size});
  return 0;
}
