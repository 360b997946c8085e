#include "infeed/accounts/batch_digest.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace penstock {
namespace {

constexpr uint64_t kOdd = 0x9e3779b97f4a7c15u;

// The finaliser of SplitMix64: a bijection, so that words that differ stay so.
uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

class Hash {
 public:
  void Add(uint64_t word) { state_ = Mix(state_ + kOdd + word); }

  // Four lanes, as one chain of multiplications is slower than memory.
  void Add(std::span<const std::byte> bytes) {
    constexpr size_t kBlock = 32;
    std::array<uint64_t, 4> lanes = {state_, state_ + kOdd, state_ + 2 * kOdd,
                                     state_ + 3 * kOdd};
    Add(bytes.size());
    while (!bytes.empty()) {
      std::array<uint64_t, 4> words{};
      const size_t size = bytes.size() < kBlock ? bytes.size() : kBlock;
      std::memcpy(words.data(), bytes.data(), size);
      for (size_t i = 0; i < lanes.size(); ++i) {
        lanes[i] = (lanes[i] ^ words[i]) * kOdd;
        lanes[i] ^= lanes[i] >> 32;
      }
      bytes = bytes.subspan(size);
    }
    for (const uint64_t lane : lanes) Add(lane);
  }

  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0;
};

}  // namespace

uint64_t DigestOf(const CoreSlice& slice) {
  Hash hash;
  hash.Add(slice.step());
  hash.Add(slice.epoch());
  hash.Add(slice.shard());
  hash.Add(slice.shape());
  for (size_t t = 0; t < slice.contract().tensors.size(); ++t) {
    hash.Add(slice.WholeRows(t).bytes);
  }
  hash.Add(std::as_bytes(slice.record_ids()));
  // Which of them are in which row; how many hosts there are must not show.
  const auto offsets = slice.row_offsets();
  std::vector<uint32_t> own(offsets.begin(), offsets.end());
  for (uint32_t& offset : own) offset -= offsets.front();
  hash.Add(std::as_bytes(std::span(own)));
  return hash.value();
}

uint64_t DigestOf(std::span<const std::byte> bytes) {
  Hash hash;
  hash.Add(bytes);
  return hash.value();
}

}  // namespace penstock
