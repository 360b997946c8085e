// A small fixed hash for what is stored or compared across runs.
//
// Source:  the SplitMix64 finalizer: Steele, Lea and Flood, "Fast splittable
//          pseudorandom number generators", OOPSLA 2014.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace penstock {

// Bijective on 64 bits; every input bit reaches every output bit.
constexpr uint64_t Mix64(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Folds values in order into 64 bits. Not for adversaries.
class Fingerprinter {
 public:
  constexpr Fingerprinter& Add(uint64_t value) {
    // The running count keeps (0), (0, 0) and () apart.
    count_ += 0x9e3779b97f4a7c15;
    hash_ = Mix64(std::rotl(hash_, 23) ^ Mix64(value + count_));
    return *this;
  }
  Fingerprinter& Add(std::string_view text);

  constexpr uint64_t value() const { return Mix64(hash_ ^ count_); }

 private:
  uint64_t hash_ = 0x70656e73746f636b;  // "penstock"
  uint64_t count_ = 0;
};

}  // namespace penstock
