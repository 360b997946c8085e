// From header to header of a TFRecord file, over the data of its records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace penstock {

// Threads: one at a time.
class HeaderHops {
 public:
  explicit HeaderHops(uint64_t file_bytes) : file_bytes_(file_bytes) {}

  // Hops on from offset(). `bytes` is what the file has from there. Stops where
  // a header is not whole in them, does not fit its checksum, or has a length
  // beyond the file.
  void Hop(std::string_view bytes);

  // The same in several places at once, for bytes that are not in the caches
  // yet: each header is waited for, and the wait is shared.
  // Cost:    of memory, 8 bytes for each record in `bytes`.
  void HopInManyPlaces(std::string_view bytes);

  // Where the next header is, or the first one that is wrong.
  uint64_t offset() const { return offset_; }
  // Where each record before it begins.
  std::vector<uint64_t>& offsets() { return offsets_; }

  // Records that follow each other, in some bytes.
  struct Chain {
    uint64_t begin = 0;
    uint64_t next = 0;  // where it has come
    uint64_t end = 0;   // it stops at the first header from here on
    std::vector<uint64_t> begins;
  };
  static constexpr size_t kMostChains = 8;

 private:
  void HopAlong(std::string_view bytes, std::span<Chain> chains);

  const uint64_t file_bytes_;
  uint64_t offset_ = 0;
  std::vector<uint64_t> offsets_;
  std::array<Chain, kMostChains> chains_;
};

}  // namespace penstock
