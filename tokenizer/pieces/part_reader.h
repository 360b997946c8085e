// Reads text part by part, ahead of the memory that holds the parts' ids.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "tokenizer/pieces/part_cache.h"
#include "tokenizer/vocabulary/part_cutter.h"
#include "tokenizer/vocabulary/piece_boundaries.h"

namespace penstock {

// The tables may be looked at from a Next on until the following one.
//
// Threads: one at a time.
class PartReader {
 public:
  struct Part {
    std::string_view text;
    PartEntry* set = nullptr;  // null: too long for PartCache
    PartKey key;               // if there is a set
  };

  // All must outlive this. `text` and `tokens` are as PartCutter wants them;
  // `self` is the thread's, outside.
  PartReader(std::string_view text, const PieceBoundaries& boundaries,
             SharedParts& shared, Readers::Reader& self,
             std::span<const PlacedToken> tokens = {})
      : cutter_(text, boundaries, tokens), shared_(shared), self_(self) {}
  ~PartReader() { self_.Leave(); }
  PartReader(const PartReader&) = delete;
  PartReader& operator=(const PartReader&) = delete;

  static constexpr size_t kMost = 24;
  // The next parts, up to kMost, which make up all of the text; none at its
  // end. Valid until the next call. Two may have one set: look into it only
  // when it is the part's turn.
  std::span<const Part> Next() {
    if (cutter_.AtEnd()) return {};
    self_.Leave();
    PartCache& cache = shared_.parts;
    if (cache.WantsRoom()) cache.MakeRoom();
    if (shared_.long_parts.WantsRoom()) shared_.long_parts.MakeRoom();
    self_.Enter();
    size_t count = 0;
    while (count < parts_.size() && !cutter_.AtEnd()) {
      Part& part = parts_[count++];
      part.text = cutter_.Next();
      part.set = nullptr;
      if (part.text.size() > PartKey::kMostBytes) continue;
      part.key = PartKey::Of(part.text.data(), part.text.size());
      part.set = cache.SetOf(part.key);
      // Some 60 ns from memory: about what the other parts take.
      __builtin_prefetch(part.set);
      __builtin_prefetch(part.set + 1);
    }
    return {parts_.data(), count};
  }

 private:
  PartCutter cutter_;
  SharedParts& shared_;
  Readers::Reader& self_;
  std::array<Part, kMost> parts_;
};

}  // namespace penstock
