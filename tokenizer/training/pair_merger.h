// The pieces of a corpus as rows of symbols, of which neighbours merge: the
// work of BPE training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// Keeps count of every pair of neighbours that is frequent enough to merge ever
// again, and knows where each stands: a merge touches those places alone.
//
// A symbol comes about by one merge alone, and all of its pairs with it. From
// then on their counts only sink: a pair found too rare is forgotten for good,
// and the heap may hold counts that are too high.
//
// Threads: one at a time.
class PairMerger {
 public:
  // Pairs that occur less often than `min_frequency` (at least 1) never merge.
  PairMerger(uint64_t size_bytes, uint64_t min_frequency);

  // All pieces come before Begin, and their bytes together are those of the
  // constructor, at most. `byte_ids` has 256.
  void AddPiece(std::string_view piece, uint64_t count,
                std::span<const TokenId> byte_ids);
  void Begin();

  using Pair = std::pair<TokenId, TokenId>;
  // The most frequent pair; of those as frequent the smallest. nullopt where
  // none is left.
  std::optional<Pair> MostFrequent();
  // Makes `merged` of the pair that MostFrequent gave last, from left to right.
  void Merge(Pair pair, TokenId merged);

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  static constexpr TokenId kGone = 0xffffffff;

  struct Symbol {
    TokenId id;
    uint32_t before, after;  // places of the neighbours in its piece
    uint32_t piece;
  };
  struct Occurrences {
    uint64_t count = 0;
    std::vector<uint32_t> places;  // of left symbols; some may be stale
  };
  struct Candidate {
    uint64_t count;
    uint64_t key;
    // For the heap, which has the largest on top.
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : key > other.key;
    }
  };
  // Pairs that a merge brings about: those of one side, by the other symbol.
  struct NewPairs {
    std::vector<uint32_t> index;  // by symbol; into pairs
    std::vector<TokenId> symbols;
    std::vector<Occurrences> pairs;

    Occurrences& Of(TokenId symbol);
    void Clear();
  };

  static uint64_t KeyOf(TokenId left, TokenId right) {
    return uint64_t{left} << 32 | right;
  }
  void MergeAt(uint32_t place, Pair pair, TokenId merged);
  void Add(TokenId left, TokenId right, TokenId merged, uint32_t place);
  void Remove(TokenId left, TokenId right, TokenId merged, uint32_t place);
  void Keep(TokenId left, TokenId right, Occurrences& found);

  const uint64_t min_frequency_;
  std::vector<Symbol> symbols_;
  std::vector<uint64_t> piece_counts_;
  absl::flat_hash_map<uint64_t, Occurrences> pairs_;
  std::priority_queue<Candidate> heap_;
  NewPairs left_of_merged_, right_of_merged_;
};

}  // namespace penstock
