#include "tokenizer/bpe/pair_ranks.h"

#include <algorithm>
#include <bit>

namespace penstock {

PairRanks::PairRanks(size_t pairs) {
  const size_t slots = std::bit_ceil(std::max<size_t>(pairs * 2, 1024));
  shift_ = 64 - std::countr_zero(slots);
  mask_ = slots - 1;
  slots_.assign(slots, kFree);
  filter_.assign((slots << kFilterBits) / 64, 0);
}

void PairRanks::Add(TokenId left, TokenId right, uint32_t rank) {
  const uint64_t key = KeyOf(left, right);
  const uint64_t hash = key * kMultiplier;
  size_t slot = hash >> shift_;
  while (slots_[slot] != kFree) slot = (slot + 1) & mask_;
  slots_[slot] = key << kRankBits | rank;
  const uint64_t bit = hash >> (shift_ - kFilterBits);
  filter_[bit / 64] |= uint64_t{1} << (bit % 64);
}

}  // namespace penstock
