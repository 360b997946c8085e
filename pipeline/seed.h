// Keys of everything random: hashed, so that no two streams are related.
#pragma once

#include <cstdint>

namespace penstock {

// What a key is for: two stages of one epoch never share one.
enum class SeedStage : uint64_t {
  kShuffle = 1,
  kWindow = 2,
};

// A key that depends on every argument. `seed + epoch` would make epoch 1 of
// seed 42 the same as epoch 0 of seed 43; here they have nothing in common.
uint64_t HashSeed(uint64_t seed, uint64_t epoch, SeedStage stage,
                  uint64_t dataset_fingerprint);

}  // namespace penstock
