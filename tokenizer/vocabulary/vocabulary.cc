#include "tokenizer/vocabulary/vocabulary.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace penstock {

Vocabulary::Added Vocabulary::Add(TokenId id, std::string_view bytes) {
  if (Has(id)) return Added::kIdTaken;
  if (slots_.size() <= used_slots_ * 2) Grow();
  const uint64_t hash = HashForTable(bytes);
  Slot& slot = slots_[SlotOf(bytes, hash)];
  if (slot.id != kFree) return Added::kBytesTaken;
  Store(id, bytes);
  slot = {id, static_cast<uint32_t>(hash >> 32)};
  ++used_slots_;
  longest_ = std::max(longest_, bytes.size());
  return Added::kYes;
}

Vocabulary::Added Vocabulary::AddForDecoding(TokenId id,
                                             std::string_view bytes) {
  if (Has(id)) return Added::kIdTaken;
  Store(id, bytes);
  return Added::kYes;
}

std::optional<TokenId> Vocabulary::Find(std::string_view bytes) const {
  if (slots_.empty() || bytes.size() > longest_) return std::nullopt;
  const TokenId id = slots_[SlotOf(bytes, HashForTable(bytes))].id;
  if (id == kFree) return std::nullopt;
  return id;
}

size_t Vocabulary::SlotOf(std::string_view bytes, uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  const auto tag = static_cast<uint32_t>(hash >> 32);
  size_t i = hash & mask;
  while (slots_[i].id != kFree &&
         (slots_[i].tag != tag || BytesOf(slots_[i].id) != bytes)) {
    i = (i + 1) & mask;
  }
  return i;
}

void Vocabulary::Reserve(size_t tokens) {
  const size_t slots = std::bit_ceil(tokens * 2 + 2);
  if (slots > slots_.size()) Resize(slots);
  entries_.reserve(tokens);
}

void Vocabulary::Resize(size_t slots) {
  const std::vector<Slot> old = std::exchange(slots_, {});
  slots_.assign(slots, {});
  for (const Slot& slot : old) {
    if (slot.id == kFree) continue;
    const std::string_view bytes = BytesOf(slot.id);
    slots_[SlotOf(bytes, HashForTable(bytes))] = slot;
  }
}

void Vocabulary::Store(TokenId id, std::string_view bytes) {
  if (id >= entries_.size()) entries_.resize(id + 1);
  entries_[id] = {bytes_.size(), static_cast<uint32_t>(bytes.size())};
  bytes_.append(bytes);
  ++tokens_;
}

}  // namespace penstock
