#include "tokenizer/bpe/merge_table.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string_view>
#include <utility>

namespace penstock {

MergeTable::MergeTable(std::span<const Pair> pairs) {
  Reserve(pairs.size());
  for (const Pair& pair : pairs) Add(pair.left, pair.right, pair.merge);
}

void MergeTable::Add(TokenId left, TokenId right, Merge merge) {
  if (slots_.size() <= used_ * 2) {
    Resize(slots_.empty() ? 1024 : slots_.size() * 2);
  }
  const uint64_t key = KeyOf(left, right);
  const size_t slot = SlotOf(key);
  if (slots_[slot].key == kFree) ++used_;
  Store(slot, {key, merge});
}

void MergeTable::Reserve(size_t pairs) {
  const size_t slots = std::bit_ceil(pairs * 2 + 2);
  if (slots > slots_.size()) Resize(std::max<size_t>(slots, 1024));
}

void MergeTable::Resize(size_t slots) {
  const Table<Slot> old = std::exchange(slots_, Table<Slot>(slots));
  filter_ = Table<uint64_t>(slots * 2 / 64);
  for (const Slot& slot : old) {
    if (slot.key != kFree) Store(SlotOf(slot.key), slot);
  }
}

HugePageVector<MergeTable::Pair> MergeTable::PairsByRank() const {
  uint32_t end = 0;  // of ranks, which count the lines of a file
  for (const Slot& slot : slots_) {
    if (slot.key != kFree) end = std::max(end, slot.merge.rank + 1);
  }
  std::vector<size_t> begins(size_t{end} + 1);
  for (const Slot& slot : slots_) {
    if (slot.key != kFree) ++begins[slot.merge.rank + 1];
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  HugePageVector<Pair> pairs(used_);
  for (const Slot& slot : slots_) {
    if (slot.key == kFree) continue;
    pairs[begins[slot.merge.rank]++] = {static_cast<TokenId>(slot.key >> 32),
                                        static_cast<TokenId>(slot.key),
                                        slot.merge};
  }
  return pairs;
}

void MergeTable::Save(TableWriter& to) const {
  to.PutNumber(used_);
  to.PutTable(slots_);
  to.PutTable(filter_);
}

MergeTable MergeTable::Load(TableReader& from) {
  MergeTable table;
  table.used_ = from.Number();
  table.slots_ = from.TakeTable<Slot>();
  table.filter_ = from.TakeTable<uint64_t>();
  const size_t slots = table.slots_.size();
  from.Expect(slots == 0 || (std::has_single_bit(slots) && slots >= 64));
  from.Expect(table.used_ * 2 <= slots + 2 &&
              table.filter_.size() == slots * 2 / 64);
  return from.ok() ? std::move(table) : MergeTable();
}

MergeTable MergesByRank(const Vocabulary& vocabulary) {
  MergeTable merges;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.Has(id)) continue;
    const std::string_view bytes = vocabulary.BytesOf(id);
    for (size_t cut = 1; cut < bytes.size(); ++cut) {
      const auto left = vocabulary.Find(bytes.substr(0, cut));
      if (!left) continue;
      const auto right = vocabulary.Find(bytes.substr(cut));
      if (right) merges.Add(*left, *right, {.rank = id, .merged = id});
    }
  }
  return merges;
}

}  // namespace penstock
