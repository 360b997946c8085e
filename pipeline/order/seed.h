// Keys of everything random: hashed, so that no two streams are related.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>

namespace penstock {

// Bijective on 64 bits; every input bit reaches every output bit.
//
// Source:  the SplitMix64 finalizer: Steele, Lea and Flood, "Fast splittable
//          pseudorandom number generators", OOPSLA 2014.
constexpr uint64_t Mix64(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Folds numbers, in order, into one key. Fixed: orders of saved runs depend on
// it.
constexpr uint64_t MixKeys(std::initializer_list<uint64_t> numbers) {
  uint64_t key = 0;
  for (const uint64_t number : numbers) {
    key = Mix64(std::rotl(key, 23) ^ Mix64(number + 0x9e3779b97f4a7c15));
  }
  return key;
}

// What a key is for: two stages of one epoch never share one.
enum class SeedStage : uint64_t {
  kShuffle = 1,
  kWindow = 2,
  kBlock = 3,
  kSplit = 4,
  kPrefixLm = 16,
  kFillInMiddle = 17,
  kMaskedLm = 18,
  kSpanCorruption = 19,
  kRowFunction = 20,
};

// A key that depends on every argument. `seed + epoch` would make epoch 1 of
// seed 42 the same as epoch 0 of seed 43; here they have nothing in common.
constexpr uint64_t HashSeed(uint64_t seed, uint64_t epoch, SeedStage stage,
                            uint64_t dataset_fingerprint) {
  return MixKeys(
      {seed, epoch, static_cast<uint64_t>(stage), dataset_fingerprint});
}

}  // namespace penstock
