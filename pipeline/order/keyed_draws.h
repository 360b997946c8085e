// Random numbers of one record in one epoch, for what is drawn while it is
// built.
#pragma once

#include <cstdint>

#include "pipeline/order/seed.h"

namespace penstock {

// The key of a record: {seed, epoch, stage, dataset, record}.
constexpr uint64_t RecordKey(uint64_t seed, uint64_t epoch, SeedStage stage,
                             uint64_t dataset, uint64_t record) {
  return MixKeys({HashSeed(seed, epoch, stage, dataset), record});
}

// Number `i` of the numbers that belong to `key`, each independent of the
// others.
constexpr uint64_t DrawAt(uint64_t key, uint64_t i) {
  return Mix64(key + (i + 1) * 0x9e3779b97f4a7c15);
}

// A number below `below`, from a random one. No value is likelier than another
// by more than below / 2^64.
constexpr uint64_t Scale(uint64_t random, uint64_t below) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(random) * below >>
                               64);
}

// The numbers of `key`, one after the other.
class KeyedDraws {
 public:
  explicit constexpr KeyedDraws(uint64_t key) : key_(key) {}

  constexpr uint64_t Next() { return DrawAt(key_, next_++); }
  constexpr uint64_t Below(uint64_t below) { return Scale(Next(), below); }

 private:
  uint64_t key_;
  uint64_t next_ = 0;
};

// Something that happens with a probability.
class Chance {
 public:
  explicit constexpr Chance(double probability)
      : always_(probability >= 1),
        below_(always_ || probability <= 0
                   ? 0
                   : static_cast<uint64_t>(probability * 0x1p64)) {}

  constexpr bool operator()(uint64_t random) const {
    return always_ || random < below_;
  }

 private:
  bool always_;
  uint64_t below_;
};

}  // namespace penstock
