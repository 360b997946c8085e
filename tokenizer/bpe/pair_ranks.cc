#include "tokenizer/bpe/pair_ranks.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace penstock {
namespace {

size_t SlotsFor(size_t pairs) {
  return std::bit_ceil(std::max<size_t>(pairs * 2, 1024));
}

}  // namespace

PairRanks::PairRanks(size_t pairs)
    : PairRanks(Table<uint64_t>(SlotsFor(pairs), kFree),
                Table<uint64_t>((SlotsFor(pairs) << kFilterBits) / 64)) {}

PairRanks::PairRanks(Table<uint64_t> slots, Table<uint64_t> filter)
    : shift_(64 - std::countr_zero(slots.size())),
      mask_(slots.size() - 1),
      slots_(std::move(slots)),
      filter_(std::move(filter)) {}

void PairRanks::Add(TokenId left, TokenId right, uint32_t rank) {
  const uint64_t key = KeyOf(left, right);
  const uint64_t hash = key * kMultiplier;
  size_t slot = hash >> shift_;
  while (slots_[slot] != kFree) slot = (slot + 1) & mask_;
  slots_.At(slot) = key << kRankBits | rank;
  const uint64_t bit = hash >> (shift_ - kFilterBits);
  filter_.At(bit / 64) |= uint64_t{1} << (bit % 64);
}

void PairRanks::Save(TableWriter& to) const {
  to.PutTable(slots_);
  to.PutTable(filter_);
}

PairRanks PairRanks::Load(TableReader& from) {
  auto slots = from.TakeTable<uint64_t>();
  auto filter = from.TakeTable<uint64_t>();
  from.Expect(std::has_single_bit(slots.size()) && slots.size() >= 64 &&
              filter.size() == (slots.size() << kFilterBits) / 64);
  return PairRanks(std::move(slots), std::move(filter));
}

}  // namespace penstock
