#include "tokenizer/vocabulary/piece_cache.h"

#include <utility>

namespace penstock {

PieceCache::PieceCache(size_t most_bytes)
    : most_bytes_(most_bytes), pages_(kFirstBytes, most_bytes) {
  UsePages();
}

void PieceCache::Clear() {
  pages_ = ZeroPages(kFirstBytes, most_bytes_);
  lately_ = {};
  UsePages();
}

void PieceCache::UsePages() {
  lines_ = static_cast<Line*>(pages_.data());
  line_mask_ = pages_.size_bytes() / sizeof(Line) - 1;
  used_ = 0;
}

const PieceCache::Entry* PieceCache::FindBeside(const Key& key,
                                                size_t line) const {
  for (size_t i = 1; i < kReach; ++i) {
    // What is beside is so because there was no room.
    if (lines_[line].entries[1].IsFree()) return nullptr;
    line = (line + 1) & line_mask_;
    for (const Entry& entry : lines_[line].entries) {
      if (entry.IsOf(key)) return &entry;
    }
  }
  return nullptr;
}

bool PieceCache::CameLately(Hash hash) {
  if (lately_.empty()) lately_.resize(size_t{1} << kLatelyBits);
  const auto rest = static_cast<uint16_t>(hash);
  return std::exchange(lately_[LatelyOf(hash)], rest) == rest;
}

PieceCache::Entry& PieceCache::PlaceFor(const Key& key, Hash hash) {
  for (size_t i = 0; i < kReach; ++i) {
    for (Entry& entry : lines_[(hash + i) & line_mask_].entries) {
      if (entry.IsFree() || entry.IsOf(key)) return entry;
    }
  }
  return lines_[hash & line_mask_].entries[CameLately(hash) ? 0 : 1];
}

void PieceCache::Put(Hash hash, const Entry& entry) {
  Entry& place = PlaceFor(entry.key_, hash);
  if (place.IsFree()) ++used_;
  place = entry;
}

void PieceCache::Insert(const Key& key, Hash hash,
                        std::span<const TokenId> ids) {
  if (ids.size() > kMaxIds || (!ids.empty() && ids[0] > kIdMask)) return;
  Entry entry;
  entry.key_ = key;
  std::copy(ids.begin(), ids.end(), entry.ids_);
  entry.ids_[0] |= static_cast<TokenId>(ids.size()) << kCountShift;
  Put(hash, entry);
  // Half full: a line of two has room for most of what goes to it.
  if (used_ > line_mask_ && pages_.size_bytes() < most_bytes_) Grow();
}

void PieceCache::InsertElsewhere(const Key& key, Hash hash, uint32_t place) {
  Entry entry;
  entry.key_ = key;
  entry.ids_[0] = TokenId{kElsewhere} << kCountShift;
  entry.ids_[1] = place;
  Put(hash, entry);
}

// Where it is: fresh memory costs more than all that is done here.
void PieceCache::Grow() {
  const size_t lines = line_mask_ + 1;
  pages_.GrowTo(pages_.size_bytes() * 2);
  UsePages();
  // Each entry goes to the line it was in or one before, of which those were
  // put anew, or to the new half.
  for (size_t i = 0; i < lines; ++i) {
    const Line line = std::exchange(lines_[i], Line());
    for (const Entry& entry : line.entries) {
      if (!entry.IsFree()) Put(HashOf(entry.key_), entry);
    }
  }
}

}  // namespace penstock
