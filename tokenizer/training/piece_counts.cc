#include "tokenizer/training/piece_counts.h"

#include <fmt/format.h>

#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {

uint64_t PieceTally::HashOf(std::string_view piece) {
  return HashForTable(piece);
}

void PieceTally::AddHashed(std::string_view piece, uint64_t hash,
                           uint64_t count) {
  if (entries_.size() * 2 >= slots_.size()) Grow();
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  for (; slots_[slot] != kFree; slot = (slot + 1) & mask) {
    Entry& entry = entries_[slots_[slot]];
    if (entry.hash == hash && PieceOf(entry) == piece) {
      entry.count += count;
      return;
    }
  }
  slots_[slot] = static_cast<uint32_t>(entries_.size());
  entries_.push_back(
      {hash, count, bytes_.size(), static_cast<uint32_t>(piece.size())});
  bytes_.append(piece);
}

void PieceTally::Grow() {
  slots_.assign(slots_.empty() ? 1024 : slots_.size() * 2, kFree);
  const size_t mask = slots_.size() - 1;
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    size_t slot = entries_[i].hash & mask;
    while (slots_[slot] != kFree) slot = (slot + 1) & mask;
    slots_[slot] = i;
  }
}

Status PieceCounts::Add(const PreTokenizer& pretokenizer,
                        std::span<const std::string_view> documents) {
  PieceTally tally;
  std::array<size_t, 1024> ends;
  for (const std::string_view document : documents) {
    for (size_t begin = 0; begin < document.size();) {
      const size_t count = pretokenizer.Split(document, begin, ends);
      for (size_t i = 0; i < count; ++i) {
        tally.Add(document.substr(begin, ends[i] - begin), 1);
        begin = ends[i];
      }
    }
  }
  return Merge(tally);
}

Status PieceCounts::Merge(const PieceTally& from) {
  // The tables take their slots from the low bits.
  const auto shard_of = [](const PieceTally::Entry& entry) {
    return entry.hash >> 58;
  };
  static_assert(kShards == 64);
  std::array<std::vector<uint32_t>, kShards> by_shard;
  for (uint32_t i = 0; i < from.entries().size(); ++i) {
    by_shard[shard_of(from.entries()[i])].push_back(i);
  }
  for (size_t s = 0; s < kShards; ++s) {
    uint64_t grown = 0;
    {
      const std::lock_guard lock(shards_[s].mutex);
      PieceTally& to = shards_[s].tally;
      grown -= to.size_bytes();
      for (const uint32_t i : by_shard[s]) {
        const PieceTally::Entry& entry = from.entries()[i];
        to.AddHashed(from.PieceOf(entry), entry.hash, entry.count);
      }
      grown += to.size_bytes();
    }
    if (bytes_.fetch_add(grown, std::memory_order_relaxed) + grown >
        max_bytes_) {
      return ResourceExhaustedError(fmt::format(
          "the corpus has more than {} bytes of different words; train on a "
          "part of it, or allow more memory",
          max_bytes_));
    }
  }
  return OkStatus();
}

uint64_t PieceCounts::pieces() const {
  uint64_t count = 0;
  for (const Shard& shard : shards_) count += shard.tally.entries().size();
  return count;
}

}  // namespace penstock
