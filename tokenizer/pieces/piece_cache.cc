#include "tokenizer/pieces/piece_cache.h"

#include <algorithm>
#include <array>
#include <functional>

namespace penstock {

PieceCache::PieceCache(Readers& readers, size_t most_bytes)
    : readers_(readers),
      most_bytes_(most_bytes),
      pages_(kFirstBytes, most_bytes),
      has_beside_(most_bytes / sizeof(Line)),
      is_crowded_(most_bytes / sizeof(Line)),
      growth_(readers),
      places_(readers) {
  UsePages();
}

void PieceCache::Clear() {
  pages_.Clear(kFirstBytes);
  lately_.Clear();
  places_.Clear();
  UsePages();
}

void PieceCache::UsePages() {
  has_beside_.Clear();
  is_crowded_.Clear();
  lines_ = static_cast<Line*>(pages_.data());
  line_mask_ = pages_.size_bytes() / sizeof(Line) - 1;
  is_full_size_ = pages_.size_bytes() == most_bytes_;
  // Half full: a line of two has room for most of what goes to it.
  growth_.Begin(is_full_size_ ? SharedGrowth::kNever : line_mask_ + 1);
}

const PieceEntry* PieceCache::FindBeside(Key key, size_t line) const {
  // What is beside is so because there was no room.
  if (lines_[line].entries[1].IsFree() || !has_beside_.Has(line)) {
    return nullptr;
  }
  for (size_t i = 1; i < kReach; ++i) {
    line = (line + 1) & line_mask_;
    for (const PieceEntry& entry : lines_[line].entries) {
      if (entry.IsOf(key)) return &entry;
    }
  }
  return nullptr;
}

bool PieceCache::PutInRoom(Inserter& by, Hash hash, const Content& content) {
  const size_t line = hash & line_mask_;
  for (size_t i = 0; i < kReach; ++i) {
    // As it was not found there.
    if (i == 1 && is_crowded_.Has(line) && !has_beside_.Has(line)) return false;
    for (PieceEntry& entry : lines_[(line + i) & line_mask_].entries) {
      if (entry.TakeFree()) {
        if (i > 0) has_beside_.Set(line);
        entry.Write(content);
        growth_.CountOne(by);
        return true;
      }
      if (!entry.IsOf(content.key)) continue;
      if (entry.ids().is_elsewhere()) entry.SetPlace(content.ids.place());
      return true;
    }
  }
  if (is_full_size_) is_crowded_.Set(line);
  return false;
}

void PieceCache::Put(Inserter& by, Hash hash, const Content& content) {
  if (PutInRoom(by, hash, content)) return;
  // Also one that has no room tells that there should be more.
  if (!is_full_size_) growth_.CountOne(by);
  places_.Take(by.reader,
               lines_[hash & line_mask_].entries[lately_.Add(hash) ? 0 : 1],
               content);
}

void PieceCache::Insert(Inserter& by, const Key& key, Hash hash,
                        std::span<const TokenId> ids) {
  if (PieceIds::CanBe(ids)) Put(by, hash, {key, PieceIds::Of(ids)});
}

void PieceCache::InsertElsewhere(Inserter& by, const Key& key, Hash hash,
                                 uint64_t place) {
  Put(by, hash, {key, PieceIds::AtPlace(place)});
}

void PieceCache::MakeRoom() {
  growth_.Grow([this] { Grow(); });
}

// Where it is: fresh memory costs more than all that is done here.
void PieceCache::Grow() {
  constexpr size_t kShareLines = kFirstBytes / sizeof(Line);
  const size_t lines = line_mask_ + 1;
  growth_.Double(pages_);
  UsePages();
  std::atomic<size_t> pieces = 0;
  const auto put_anew = [&](size_t share) {
    const size_t begin = share * kShareLines;
    pieces += PutAnew(lines, begin, begin + kShareLines);
  };
  readers_.ChangeTogether(lines / kShareLines, std::ref(put_anew));
  growth_.Count(pieces);
  // Those that wait had no room: now they come again.
  places_.Clear();
}

// Each goes to the line it was in or one before, of which those were put anew,
// or to the new half. Lines behind `end` and before `begin` are others': the
// few that would go there are forgotten.
size_t PieceCache::PutAnew(size_t lines, size_t begin, size_t end) {
  size_t count = 0;
  const auto put = [&](const Content& content) {
    const size_t line = HashOf(content.key) & line_mask_;
    const size_t half = line & lines;
    const size_t from = line - half;
    if (from < begin || from >= end) return;
    for (size_t i = from; i < std::min(from + kReach, end); ++i) {
      for (PieceEntry& entry : lines_[half + i].entries) {
        if (!entry.IsFree()) continue;
        if (i > from) has_beside_.Set(half + from);
        entry.Write(content);
        ++count;
        return;
      }
    }
  };
  for (size_t i = begin; i < end; ++i) {
    std::array<Content, 2> line;
    size_t pieces = 0;
    for (PieceEntry& entry : lines_[i].entries) {
      const bool is_filled = entry.IsFilled();
      line[pieces] = entry.Free();
      if (is_filled) ++pieces;
    }
    std::ranges::for_each(std::span(line).first(pieces), put);
  }
  return count;
}

}  // namespace penstock
