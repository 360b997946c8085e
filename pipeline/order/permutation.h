// A random order of any number of things without writing the order down.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <span>

namespace penstock {

// A bijection of [0, n) that is a function of `key` alone.
//
// Shapes:  n positions in, the same n out, each once. 1 <= n <= 2^63.
// Threads: any number at a time.
// Cost:    O(1) memory; see bench/pipeline/pipeline_bench.cc for ns per
//          position, which are fewer by many at once.
// Source:  Black and Rogaway, "Ciphers with arbitrary finite domains", 2002:
//          the generalised Feistel network on Z_a x Z_b and cycle walking.
//          With a = ceil(sqrt n) and b = ceil(n / a) at most a - 1 values lie
//          outside [0, n), so that a walk of more than one step is rare.
class Permutation {
 public:
  Permutation(uint64_t n, uint64_t key);

  uint64_t n() const { return n_; }

  uint64_t operator()(uint64_t position) const {
    assert(position < n_);
    uint64_t x = position;
    do {
      x = Encipher(x);
    } while (x >= n_);
    return x;
  }

  // out[i] is that of position `first` + i.
  void Fill(uint64_t first, std::span<uint64_t> out) const;

 private:
  static constexpr int kRounds = 8;
  static constexpr uint64_t kFirst = 0x9e3779b97f4a7c15;
  static constexpr uint64_t kSecond = 0xd6e8feb86659fd93;

  // Positions of which Encipher() is done side by side.
  struct Lanes;
  struct RoundAvx2;
  void EncipherAll(Lanes& lanes) const;
  void EncipherAllAvx2(Lanes& lanes) const;

  // A value below `limit` (at most 2^32), from 32 bits and a round's key.
  static uint64_t Round(uint64_t half, uint64_t key, uint64_t limit) {
    uint64_t x = (half + key) * kFirst;
    x = (x ^ (x >> 32) ^ key) * kSecond;
    return ((x >> 32) * limit) >> 32;
  }

  uint64_t Encipher(uint64_t x) const {
    uint64_t left = x / b_;
    uint64_t right = x - left * b_;
    for (int r = 0; r < kRounds; r += 2) {
      left += Round(right, keys_[r], a_);
      left -= left >= a_ ? a_ : 0;
      right += Round(left, keys_[r + 1], b_);
      right -= right >= b_ ? b_ : 0;
    }
    return left * b_ + right;
  }

  uint64_t n_;
  uint64_t a_;
  uint64_t b_;
  std::array<uint64_t, kRounds> keys_;
};

}  // namespace penstock
