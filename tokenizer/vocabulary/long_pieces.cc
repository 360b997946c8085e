#include "tokenizer/vocabulary/long_pieces.h"

#include <algorithm>
#include <cstring>

#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {

uint64_t LongPieces::HashOf(std::string_view piece) {
  return HashForTable(piece);
}

void LongPieces::Clear() {
  index_ = ZeroPages(kIndexBytes);
  end_ = 1;
}

std::optional<std::span<const TokenId>> LongPieces::At(
    uint32_t place, std::string_view piece) const {
  if (!IsThere(place)) return std::nullopt;
  const uint32_t* const record = WordsAt(place);
  const uint32_t* const ids = record + kHeaderWords;
  if (record[0] != piece.size() ||
      std::memcmp(ids + record[1], piece.data(), piece.size()) != 0) {
    return std::nullopt;
  }
  return std::span(ids, record[1]);
}

uint32_t LongPieces::PlaceOf(uint64_t hash) const {
  const Slot* const line = LineOf(hash);
  const auto tag = static_cast<uint32_t>(hash);
  for (const Slot* slot = line; slot != line + kSlots; ++slot) {
    if (slot->hash == tag && IsThere(slot->place)) return slot->place;
  }
  return 0;
}

std::optional<std::span<const TokenId>> LongPieces::Find(std::string_view piece,
                                                         uint64_t hash) const {
  const Slot* const line = LineOf(hash);
  const auto tag = static_cast<uint32_t>(hash);
  for (const Slot* slot = line; slot != line + kSlots; ++slot) {
    if (slot->hash != tag) continue;
    if (const auto ids = At(slot->place, piece)) return ids;
  }
  return std::nullopt;
}

uint32_t LongPieces::Append(std::string_view piece,
                            std::span<const TokenId> ids) {
  const auto words =
      static_cast<uint32_t>(kHeaderWords + ids.size() + (piece.size() + 3) / 4);
  // A record is in one part.
  const uint32_t left = kRingWords - end_ % kRingWords;
  if (left < words) end_ += left;
  const uint32_t place = end_;
  uint32_t* const record = WordsAt(place);
  record[0] = static_cast<uint32_t>(piece.size());
  record[1] = static_cast<uint32_t>(ids.size());
  std::copy(ids.begin(), ids.end(), record + kHeaderWords);
  std::memcpy(record + kHeaderWords + ids.size(), piece.data(), piece.size());
  end_ += words;
  return place;
}

void LongPieces::Insert(std::string_view piece, uint64_t hash,
                        std::span<const TokenId> ids) {
  if (piece.size() > kMaxPieceBytes || ids.size() > piece.size()) return;
  const uint32_t place = Append(piece, ids);
  Slot* const line = LineOf(hash);
  // One that is no longer there, else the oldest.
  const auto age = [this](Slot slot) {
    return IsThere(slot.place) ? end_ - slot.place : kRingWords + 1;
  };
  *std::max_element(line, line + kSlots, [&](Slot a, Slot b) {
    return age(a) < age(b);
  }) = {static_cast<uint32_t>(hash), place};
}

}  // namespace penstock
