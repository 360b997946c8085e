#include "tokenizer/pieces/long_pieces.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {

LongPieces::LongPieces(Readers& readers, size_t ring_bytes, uint64_t first_word)
    : readers_(readers),
      ring_words_(ring_bytes / sizeof(uint32_t)),
      segment_words_(ring_words_ / kSegments),
      most_index_bytes_(
          std::max(kFirstIndexBytes, ring_bytes / kRingOfMostIndex)),
      index_(kFirstIndexBytes, most_index_bytes_),
      ring_(ring_bytes),
      taken_end_(first_word),
      open_end_(first_word - first_word % segment_words_ + ring_words_),
      first_there_(first_word),
      first_word_(first_word),
      growth_(readers) {
  UseIndex();
}

void LongPieces::UseIndex() {
  const size_t bytes = index_.size_bytes();
  line_mask_ = bytes / sizeof(Slot) / kSlots - 1;
  growth_.Begin(bytes == most_index_bytes_
                    ? SharedGrowth::kNever
                    : kRingOfIndex * bytes / sizeof(uint32_t));
}

void LongPieces::MakeRoom() {
  growth_.Grow([this] { Grow(); });
}

// Each line's slots stay or go to the same line of the new half.
void LongPieces::Grow() {
  constexpr size_t kShareLines = 8192;
  const size_t lines = line_mask_ + 1;
  growth_.Double(index_);
  UseIndex();
  const auto put_anew = [&](size_t share) {
    const std::span slots(
        static_cast<Slot*>(index_.data()) + share * kShareLines * kSlots,
        kShareLines * kSlots);
    for (Slot& slot : slots) {
      const uint64_t its = slot.load(std::memory_order_relaxed);
      if ((its >> kLineAt & lines) == 0) continue;
      (&slot)[lines * kSlots].store(its, std::memory_order_relaxed);
      slot.store(0, std::memory_order_relaxed);
    }
  };
  readers_.ChangeTogether(lines / kShareLines, std::ref(put_anew));
}

// Of long ones four chains side by side: in each a product waits for the one
// before.
uint64_t LongPieces::HashOf(std::string_view piece) {
  constexpr size_t kChains = 4;
  constexpr size_t kWord = sizeof(uint64_t);
  constexpr size_t kFewestBytes = 4 * kChains * kWord;
  if (piece.size() < kFewestBytes) return HashForTable(piece);
  constexpr uint64_t kMultiplier = 0x9fb21c651e98df25;
  const auto mix = [](uint64_t& hash, uint64_t word) {
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 29;
  };
  std::array<uint64_t, kChains> chains = {piece.size(), 1, 2, 3};
  for (; piece.size() >= kChains * kWord;
       piece.remove_prefix(kChains * kWord)) {
    for (size_t i = 0; i < kChains; ++i) {
      mix(chains[i], FirstBytes(piece.substr(i * kWord, kWord)));
    }
  }
  uint64_t hash = HashForTable(piece);
  for (const uint64_t chain : chains) mix(hash, chain);
  return hash ^ (hash >> 32);
}

void LongPieces::Clear() {
  index_.Clear(kFirstIndexBytes);
  UseIndex();
  ring_.Clear(ring_.size_bytes());
  first_there_ = first_word_ = taken_end_.load();
  lately_.Clear();
}

std::optional<std::span<const TokenId>> LongPieces::At(uint64_t place) const {
  if (!IsThere(place)) return std::nullopt;
  const uint32_t* const record = WordsAt(place);
  return std::span(record + 1, record[0]);
}

std::optional<std::span<const TokenId>> LongPieces::FindAt(
    uint64_t place, std::string_view piece) const {
  const auto ids = At(place);
  if (!ids) return std::nullopt;
  const uint32_t* const its = ids->data() + ids->size();
  if (its[0] != piece.size() ||
      std::memcmp(its + 1, piece.data(), piece.size()) != 0) {
    return std::nullopt;
  }
  return ids;
}

uint64_t LongPieces::PlaceOf(uint64_t hash) const {
  const Slot* const line = LineOf(hash);
  for (const Slot* slot = line; slot != line + kSlots; ++slot) {
    const uint64_t place = slot->load(std::memory_order_acquire) ^ TagOf(hash);
    if (place <= kPlaceMask && IsThere(place)) return place;
  }
  return 0;
}

std::optional<std::span<const TokenId>> LongPieces::Find(std::string_view piece,
                                                         uint64_t hash) const {
  const Slot* const line = LineOf(hash);
  for (const Slot* slot = line; slot != line + kSlots; ++slot) {
    const uint64_t place = slot->load(std::memory_order_acquire) ^ TagOf(hash);
    if (place > kPlaceMask) continue;
    if (const auto ids = FindAt(place, piece)) return ids;
  }
  return std::nullopt;
}

// In two steps, the second of which is done once others have left: before the
// segment is needed, if they do so soon.
void LongPieces::OpenSegment(const Readers::Reader& self) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const uint64_t end = open_end_.load(std::memory_order_relaxed);
  if (closed_since_ == 0) {
    // Another thread may just have done it.
    if (taken_end_.load(std::memory_order_relaxed) + segment_words_ <= end) {
      return;
    }
    first_there_ =
        std::max(first_there_.load(), end + segment_words_ - ring_words_);
    closed_since_ = readers_.Stamp();
  }
  if (!readers_.HavePassed(closed_since_, self)) return;
  open_end_.store(end + segment_words_, std::memory_order_release);
  closed_since_ = 0;
}

// An inserter's own number is the place of its next record, up to the end of
// its chunk.
uint64_t LongPieces::TakePlace(Inserter& by, uint64_t words) {
  uint64_t place = by.own;
  if (place + words > EndOfChunk(place) || !IsThere(place)) {
    place = TakeChunks(by.reader, words, place);
  }
  if (place != 0) by.own = place + words;
  return place;
}

uint64_t LongPieces::TakeChunks(const Readers::Reader& self, uint64_t words,
                                uint64_t rest) {
  uint64_t end = taken_end_.load(std::memory_order_relaxed);
  if (end + words + segment_words_ >
      open_end_.load(std::memory_order_relaxed)) {
    OpenSegment(self);
  }
  uint64_t place;
  uint64_t taken;
  do {
    place = EndOfChunk(rest) == end && IsThere(rest) ? rest : end;
    // A record is in one part.
    const uint64_t left = ring_words_ - place % ring_words_;
    if (left < words) place += left;
    taken = EndOfChunk(place + words);
    if (taken > open_end_.load(std::memory_order_acquire)) return 0;
    if (taken - 1 > kPlaceMask) return 0;
  } while (
      !taken_end_.compare_exchange_weak(end, taken, std::memory_order_relaxed));
  growth_.Count(taken - end);
  return place;
}

// Of a full ring each segment has another one of kKeptOfFull.
bool LongPieces::IsKept(size_t bytes, uint64_t hash) {
  const uint64_t first = first_there_.load(std::memory_order_relaxed);
  const bool is_kept_at_once =
      bytes <= kKeptAtOnceBytes &&
      (first == first_word_ ||
       ((hash >> 48) + first / segment_words_) % kKeptOfFull == 0);
  return is_kept_at_once || lately_.Add(static_cast<uint32_t>(hash));
}

uint32_t* LongPieces::WriteIds(uint64_t place, std::span<const TokenId> ids) {
  uint32_t* const record = WordsAt(place);
  record[0] = static_cast<uint32_t>(ids.size());
  return std::copy(ids.begin(), ids.end(), record + 1);
}

uint64_t LongPieces::Append(Inserter& by, std::span<const TokenId> ids) {
  const uint64_t place = TakePlace(by, 1 + ids.size());
  if (place != 0) WriteIds(place, ids);
  return place;
}

void LongPieces::Insert(Inserter& by, std::string_view piece, uint64_t hash,
                        std::span<const TokenId> ids) {
  if (piece.size() > kMaxPieceBytes || ids.size() > piece.size()) return;
  if (!IsKept(piece.size(), hash)) return;
  const uint64_t place = TakePlace(by, 2 + ids.size() + (piece.size() + 3) / 4);
  if (place == 0) return;
  uint32_t* const its = WriteIds(place, ids);
  its[0] = static_cast<uint32_t>(piece.size());
  std::memcpy(its + 1, piece.data(), piece.size());
  // The oldest: what is no longer there is older.
  Slot* const line = LineOf(hash);
  Slot* const oldest =
      std::min_element(line, line + kSlots, [](const Slot& a, const Slot& b) {
        return (a.load(std::memory_order_relaxed) & kPlaceMask) <
               (b.load(std::memory_order_relaxed) & kPlaceMask);
      });
  oldest->store(TagOf(hash) | place, std::memory_order_release);
}

}  // namespace penstock
