// Compressed bytes made and read by zlib, the reference for our decoders.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace penstock::testing {

inline constexpr int kGzipBits = 15 + 16;
inline constexpr int kZlibBits = 15;

struct ReferenceOptions {
  int level = 6;
  size_t flush_every = 0;  // a full flush after so many bytes; 0 for none
  gz_header* header = nullptr;
};

inline std::string ReferenceCompress(std::string_view bytes, int window_bits,
                                     ReferenceOptions options = {}) {
  z_stream state = {};
  EXPECT_EQ(deflateInit2(&state, options.level, Z_DEFLATED, window_bits, 9,
                         Z_DEFAULT_STRATEGY),
            Z_OK);
  if (options.header != nullptr) deflateSetHeader(&state, options.header);
  std::string out(deflateBound(&state, bytes.size()) + 16 * bytes.size() + 512,
                  '\0');
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = out.size();
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  for (size_t left = bytes.size(); options.flush_every > 0 && left > 0;) {
    state.avail_in = std::min(left, options.flush_every);
    left -= state.avail_in;
    EXPECT_EQ(deflate(&state, Z_FULL_FLUSH), Z_OK);
  }
  if (options.flush_every == 0) state.avail_in = bytes.size();
  EXPECT_EQ(deflate(&state, Z_FINISH), Z_STREAM_END);
  out.resize(state.total_out);
  deflateEnd(&state);
  return out;
}

// Nothing where zlib finds fault with it.
inline std::optional<std::string> ReferenceDecompress(std::string_view bytes,
                                                      int window_bits) {
  z_stream state = {};
  EXPECT_EQ(inflateInit2(&state, window_bits), Z_OK);
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  state.avail_in = bytes.size();
  std::string out;
  int result = Z_OK;
  while (result == Z_OK) {
    char piece[65536];
    state.next_out = reinterpret_cast<Bytef*>(piece);
    state.avail_out = sizeof(piece);
    result = inflate(&state, Z_NO_FLUSH);
    out.append(piece, sizeof(piece) - state.avail_out);
  }
  const bool whole = result == Z_STREAM_END && state.avail_in == 0;
  inflateEnd(&state);
  if (!whole) return std::nullopt;
  return out;
}

}  // namespace penstock::testing
