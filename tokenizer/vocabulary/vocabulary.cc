#include "tokenizer/vocabulary/vocabulary.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace penstock {

Vocabulary::Added Vocabulary::Add(TokenId id, std::string_view bytes) {
  if (Has(id)) return Added::kIdTaken;
  if (slots_.size() <= used_slots_ * 2) Grow();
  const uint64_t hash = HashForTable(bytes);
  const size_t place = PlaceOf(bytes, hash);
  if (slots_[place] != kFree) return Added::kBytesTaken;
  Store(id, bytes);
  slots_.At(place) = SlotFor(id, hash);
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
  const Slot slot = slots_[PlaceOf(bytes, HashForTable(bytes))];
  if (slot == kFree) return std::nullopt;
  return IdIn(slot);
}

void Vocabulary::EndSearches(std::span<Search> searches) const {
  for (Search& search : searches) {
    if (search.size == 0) continue;
    const Slot slot =
        slots_[LikelyPlace(search.hash, search.hash & (slots_.size() - 1))];
    if (slot == kFree) continue;
    search.id = IdIn(slot);
    __builtin_prefetch(&entries_[search.id]);
  }
  for (const Search& search : searches) {
    if (search.id == Search::kNotFound) continue;
    __builtin_prefetch(BytesOf(search.id).data());
  }
  for (Search& search : searches) {
    if (search.id == Search::kNotFound) continue;
    if (BytesOf(search.id) == search.bytes()) continue;
    search.id = Find(search.bytes()).value_or(Search::kNotFound);
  }
}

size_t Vocabulary::LikelyPlace(uint64_t hash, size_t place) const {
  const size_t mask = slots_.size() - 1;
  const Slot tag = SlotFor(0, hash);
  // There is a free slot, unless a mapped table was cut off under us.
  for (size_t left = slots_.size(); left > 0; --left) {
    const Slot slot = slots_[place];
    if (slot == kFree || (slot ^ IdIn(slot)) == tag) break;
    place = (place + 1) & mask;
  }
  return place;
}

size_t Vocabulary::PlaceOf(std::string_view bytes, uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t place = hash & mask;
  // As there.
  for (size_t left = slots_.size(); left > 0; --left) {
    place = LikelyPlace(hash, place);
    if (slots_[place] == kFree || BytesOf(IdIn(slots_[place])) == bytes) break;
    place = (place + 1) & mask;
  }
  return place;
}

void Vocabulary::Reserve(size_t tokens, size_t bytes) {
  const size_t slots = std::bit_ceil(tokens * 2 + 2);
  if (slots > slots_.size()) Resize(slots);
  entries_.Reserve(tokens);
  bytes_.Reserve(bytes);
}

void Vocabulary::Resize(size_t slots) {
  const Table<Slot> old = std::exchange(slots_, Table<Slot>(slots, kFree));
  for (const Slot slot : old) {
    if (slot == kFree) continue;
    const std::string_view bytes = BytesOf(IdIn(slot));
    slots_.At(PlaceOf(bytes, HashForTable(bytes))) = slot;
  }
}

void Vocabulary::Store(TokenId id, std::string_view bytes) {
  const Entry entry = {static_cast<uint32_t>(bytes_.size()),
                       static_cast<uint32_t>(bytes.size())};
  if (id == entries_.size()) {
    entries_.Append(entry);
  } else {
    if (id > entries_.size()) entries_.Resize(id + 1);
    entries_.At(id) = entry;
  }
  bytes_.Append(bytes);
  ++tokens_;
}

void Vocabulary::Save(TableWriter& to) const {
  to.PutNumber(longest_);
  to.PutNumber(used_slots_);
  to.PutNumber(tokens_);
  to.PutTable(bytes_);
  to.PutTable(entries_);
  to.PutTable(slots_);
}

Vocabulary Vocabulary::Load(TableReader& from) {
  Vocabulary vocabulary;
  vocabulary.longest_ = from.Number();
  vocabulary.used_slots_ = from.Number();
  vocabulary.tokens_ = from.Number();
  vocabulary.bytes_ = from.TakeTable<char>();
  vocabulary.entries_ = from.TakeTable<Entry>();
  vocabulary.slots_ = from.TakeTable<Slot>();
  // Without slots it is for decoding only.
  const size_t slots = vocabulary.slots_.size();
  from.Expect(slots == 0 ? vocabulary.used_slots_ == 0
                         : std::has_single_bit(slots) &&
                               vocabulary.used_slots_ < slots);
  return vocabulary;
}

}  // namespace penstock
