// A row cut into parts at random, each way as likely.
#pragma once

#include <cstdint>

#include "pipeline/order/keyed_draws.h"

namespace penstock {

// `items` in a row are cut into `parts` of one item at least, one after the
// other.
//
// Cost:    a random number an item, no memory.
// Source:  selection sampling: Fan, Muller and Rezucha, 1962 (Knuth, volume 2,
//          algorithm 3.4.2 S).
class RandomParts {
 public:
  RandomParts(uint64_t items, uint64_t parts, uint64_t key)
      : places_(items - 1), cuts_(parts - 1), draws_(key) {}

  // Items of the next part.
  uint64_t Next() {
    uint64_t length = 1;
    // Each place behind an item is one of the cuts that are left, or not.
    for (; places_ > 0; ++length) {
      const bool cut = draws_.Below(places_--) < cuts_;
      if (!cut) continue;
      --cuts_;
      break;
    }
    return length;
  }

 private:
  uint64_t places_;
  uint64_t cuts_;
  KeyedDraws draws_;
};

}  // namespace penstock
