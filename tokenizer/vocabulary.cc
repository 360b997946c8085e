#include "tokenizer/vocabulary.h"

#include <utility>

namespace penstock {

Vocabulary::Added Vocabulary::Add(TokenId id, std::string_view bytes) {
  if (Has(id)) return Added::kIdTaken;
  if (slots_.size() <= used_slots_ * 2) Grow();
  const size_t slot = SlotOf(bytes);
  if (slots_[slot] != kFree) return Added::kBytesTaken;
  Store(id, bytes);
  slots_[slot] = id;
  ++used_slots_;
  return Added::kYes;
}

Vocabulary::Added Vocabulary::AddForDecoding(TokenId id,
                                             std::string_view bytes) {
  if (Has(id)) return Added::kIdTaken;
  Store(id, bytes);
  return Added::kYes;
}

std::optional<TokenId> Vocabulary::Find(std::string_view bytes) const {
  if (slots_.empty()) return std::nullopt;
  const TokenId id = slots_[SlotOf(bytes)];
  if (id == kFree) return std::nullopt;
  return id;
}

size_t Vocabulary::SlotOf(std::string_view bytes) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = HashForTable(bytes) & mask;
  while (slots_[slot] != kFree && BytesOf(slots_[slot]) != bytes) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void Vocabulary::Grow() {
  const std::vector<TokenId> old = std::exchange(slots_, {});
  slots_.assign(old.empty() ? 1024 : old.size() * 2, kFree);
  for (const TokenId id : old) {
    if (id != kFree) slots_[SlotOf(BytesOf(id))] = id;
  }
}

void Vocabulary::Store(TokenId id, std::string_view bytes) {
  if (id >= entries_.size()) entries_.resize(id + 1);
  entries_[id] = {bytes_.size(), static_cast<uint32_t>(bytes.size())};
  bytes_.append(bytes);
  ++tokens_;
}

}  // namespace penstock
