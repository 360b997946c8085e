#include "tokenizer/pieces/part_cache.h"

#include <array>
#include <atomic>
#include <functional>
#include <span>

namespace penstock {

PartCache::PartCache(Readers& readers, size_t most_bytes)
    : readers_(readers),
      most_bytes_(most_bytes),
      pages_(kFirstBytes, most_bytes),
      growth_(readers),
      places_(readers) {
  UsePages();
}

void PartCache::Clear() {
  pages_.Clear(kFirstBytes);
  lately_.Clear();
  places_.Clear();
  UsePages();
}

void PartCache::UsePages() {
  entries_ = static_cast<PartEntry*>(pages_.data());
  const size_t entries = pages_.size_bytes() / sizeof(PartEntry);
  set_mask_ = entries / 2 - 1;
  growth_.Begin(size_bytes() == most_bytes_ ? SharedGrowth::kNever
                                            : entries / 2);
}

bool PartCache::PutInRoom(Inserter& by, PartEntry* set,
                          const PartEntry::Content& content) {
  for (PartEntry& entry : std::span(set, 2)) {
    if (entry.TakeFree()) {
      entry.Write(content);
      growth_.CountOne(by);
      return true;
    }
    if (entry.IsOf(content.key)) return true;
  }
  return false;
}

void PartCache::Insert(Inserter& by, PartEntry* set,
                       const PartEntry::Content& content) {
  if (PutInRoom(by, set, content)) return;
  // Also one that has no room tells that there should be more.
  if (size_bytes() < most_bytes_) growth_.CountOne(by);
  PartEntry& entry = set[lately_.Add(HashOf(content.key)) ? 0 : 1];
  places_.Take(by.reader, entry, content);
}

void PartCache::MakeRoom() {
  growth_.Grow([this] { Grow(); });
}

// Where it is: fresh memory costs more than all that is done here.
void PartCache::Grow() {
  constexpr size_t kShareSets = kFirstBytes / sizeof(PartEntry) / 2;
  const size_t sets = set_mask_ + 1;
  growth_.Double(pages_);
  UsePages();
  std::atomic<size_t> parts = 0;
  const auto put_anew = [&](size_t share) {
    const size_t begin = share * kShareSets;
    parts += PutAnew(begin, begin + kShareSets);
  };
  readers_.ChangeTogether(sets / kShareSets, std::ref(put_anew));
  growth_.Count(parts);
  // Those that wait had no room: now they come again.
  places_.Clear();
}

// Each stays in its set or goes to the one of the new half.
size_t PartCache::PutAnew(size_t begin, size_t end) {
  size_t count = 0;
  for (size_t i = begin; i < end; ++i) {
    std::array<PartEntry::Content, 2> set;
    size_t parts = 0;
    for (PartEntry& entry : std::span(entries_ + 2 * i, 2)) {
      const bool is_filled = entry.IsFilled();
      set[parts] = entry.Free();
      if (is_filled) ++parts;
    }
    for (const PartEntry::Content& content : std::span(set).first(parts)) {
      PartEntry* const to = SetOf(content.key);
      (to[0].IsFree() ? to[0] : to[1]).Write(content);
    }
    count += parts;
  }
  return count;
}

}  // namespace penstock
