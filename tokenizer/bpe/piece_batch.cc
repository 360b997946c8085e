#include "tokenizer/bpe/piece_batch.h"

#include <algorithm>
#include <array>
#include <optional>

namespace penstock {

void PieceBatch::MakeKeys(size_t begin, std::span<const size_t> ends) {
  const PieceCache& pieces = memory_.pieces();
  const char* const text = text_.data();
  // Before it 16 bytes can be read; behind it, from a copy.
  constexpr size_t kRead = sizeof(PieceCache::Key);
  const size_t readable_end = text_.size() - std::min(text_.size(), kRead - 1);
  std::array<char, 2 * kRead> rest{};
  if (ends.back() > readable_end) text_.copy(rest.data(), kRead, readable_end);
  Lookup* lookup = lookups_.data();
  size_t at = begin;
  for (const size_t end : ends) {
    const size_t size = end - at;
    if (size <= PieceCache::kMaxPieceBytes) {
      lookup->key = PieceKey::OfReadable(
          at < readable_end ? text + at : rest.data() + (at - readable_end),
          size);
      lookup->hash = PieceCache::HashOf(lookup->key);
      pieces.Prefetch(lookup->hash);
    } else {
      lookup->key = {LongPieces::HashOf({text + at, size}), 0};
      memory_.long_pieces().Prefetch(lookup->key.head);
    }
    ++lookup;
    at = end;
  }
}

size_t PieceBatch::CopyKnown(size_t from, size_t to, TokenId*& out) const {
  const PieceCache& pieces = memory_.pieces();
  TokenId* at = out;
  for (; from < to; ++from) {
    const Lookup& lookup = lookups_[from];
    if (lookup.is_long()) break;
    const auto* const known = pieces.Find(lookup.key, lookup.hash);
    if (known == nullptr) break;
    const PieceIds ids = known->ids();
    if (ids.is_elsewhere()) break;
    ids.CopyTo(at);
    at += ids.count();
  }
  out = at;
  return from;
}

uint64_t PieceBatch::PlaceOf(const Lookup& lookup) const {
  uint64_t place = 0;
  if (lookup.is_long()) {
    place = memory_.long_pieces().PlaceOf(lookup.key.head);
  } else if (const auto* const entry =
                 memory_.pieces().Find(lookup.key, lookup.hash)) {
    // Another thread may have put it there since it was not known.
    const PieceIds ids = entry->ids();
    place = ids.is_elsewhere() ? ids.place() : 0;
  } else {
    memory_.pieces().PrefetchForInsert(lookup.hash);
  }
  memory_.long_pieces().PrefetchAt(place);
  return place;
}

bool PieceBatch::CopyElsewhere(std::string_view piece, const Lookup& lookup,
                               uint64_t place) {
  const LongPieces& long_pieces = memory_.long_pieces();
  const auto ids = lookup.is_long() ? long_pieces.FindAt(place, piece)
                                    : long_pieces.At(place);
  if (!ids) return false;
  ids_.insert(ids_.end(), ids->begin(), ids->end());
  return true;
}

bool PieceBatch::CopySince(std::string_view piece, const Lookup& lookup) {
  if (IsHuge(piece)) {
    return memory_.huge_pieces().AppendIds(piece, lookup.key.head, ids_);
  }
  if (lookup.is_long()) {
    const auto ids = memory_.long_pieces().Find(piece, lookup.key.head);
    if (ids) ids_.insert(ids_.end(), ids->begin(), ids->end());
    return ids.has_value();
  }
  const auto* const entry = memory_.pieces().Find(lookup.key, lookup.hash);
  if (entry == nullptr) return false;
  const PieceIds known = entry->ids();
  if (known.is_elsewhere()) return CopyElsewhere(piece, lookup, known.place());
  std::array<TokenId, PieceCache::kMaxIds> ids;
  known.CopyTo(ids.data());
  ids_.insert(ids_.end(), ids.begin(), ids.begin() + known.count());
  return true;
}

void PieceBatch::Remember(std::string_view piece, const Lookup& lookup,
                          std::span<const TokenId> ids) {
  Inserter& by = memory_.pieces_inserter();
  Inserter& by_long = memory_.long_inserter();
  LongPieces& long_pieces = memory_.long_pieces();
  if (IsHuge(piece)) {
    memory_.huge_pieces().Insert(piece, lookup.key.head, ids);
  } else if (lookup.is_long()) {
    long_pieces.Insert(by_long, piece, lookup.key.head, ids);
  } else if (ids.size() <= PieceCache::kMaxIds) {
    memory_.pieces().Insert(by, lookup.key, lookup.hash, ids);
  } else if (const uint64_t place = long_pieces.Append(by_long, ids);
             place != 0) {
    memory_.pieces().InsertElsewhere(by, lookup.key, lookup.hash, place);
  }
}

}  // namespace penstock
