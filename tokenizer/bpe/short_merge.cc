#include "tokenizer/bpe/short_merge.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace penstock {
namespace {

// Symbols stand where their first byte is, or their first id was.
template <size_t kMost>
class ShortPiece {
 public:
  ShortPiece(const Derivations& derivations, const BytePairs& bytes,
             std::string_view piece)
      : derivations_(derivations),
        size_(piece.size()),
        begins_(~uint64_t{0} >> (64 - piece.size())) {
    for (size_t i = 0; i < size_; ++i) {
      ids_[i] = bytes.IdOf(piece[i]);
    }
    ClearLastRow();
    for (size_t i = 0; i + 1 < size_; ++i) {
      pairs_[i] = Placed(bytes.RankOf(piece[i], piece[i + 1]), i);
    }
  }
  ShortPiece(const Derivations& derivations, std::span<const TokenId> ids)
      : derivations_(derivations),
        size_(ids.size()),
        begins_(~uint64_t{0} >> (64 - ids.size())) {
    std::ranges::copy(ids, ids_.begin());
    ClearLastRow();
    for (size_t i = 0; i + 1 < size_; ++i) SetPair(i, i + 1);
  }

  void MergeAll() {
    for (uint64_t pair = Lowest(); pair != kNone; pair = Lowest()) {
      const size_t left = pair % kMost;
      const size_t right = NextOf(left);
      ids_[left] =
          derivations_.TokenOfRank(static_cast<uint32_t>(pair / kMost));
      begins_ &= ~(uint64_t{1} << right);
      pairs_[right] = kNone;
      const size_t next = NextOf(right);
      if (next < 64) {
        SetPair(left, next);
      } else {
        pairs_[left] = kNone;
      }
      if (left > 0) SetPair(PreviousOf(left), left);
    }
  }

  // Calls `put` with each id that is left.
  template <typename Put>
  void ForEach(const Put& put) const {
    for (uint64_t rest = begins_; rest != 0; rest &= rest - 1) {
      put(ids_[std::countr_zero(rest)]);
    }
  }

 private:
  // A rank and, below it, the place of the left symbol. Too wide to be compared
  // side by side: a vector of which a part has just been written waits for it.
  static constexpr uint64_t kNone = ~uint64_t{0};
  static constexpr size_t kLanes = 4;

  // Lowest looks at whole rows of lanes.
  void ClearLastRow() {
    const size_t last_row = (size_ - 1) / kLanes * kLanes;
    std::fill_n(pairs_.begin() + last_row, kLanes, kNone);
  }
  static uint64_t Placed(uint32_t rank, size_t left) {
    return rank == Merge::kNever ? kNone : uint64_t{rank} * kMost + left;
  }
  void SetPair(size_t left, size_t right) {
    pairs_[left] =
        Placed(derivations_.ranks().Find(ids_[left], ids_[right]), left);
  }

  // 64 without one.
  size_t NextOf(size_t place) const {
    const uint64_t behind = begins_ & ~uint64_t{1} << place;
    return std::countr_zero(behind);
  }
  size_t PreviousOf(size_t place) const {
    const uint64_t before = begins_ & ((uint64_t{1} << place) - 1);
    return 63 - std::countl_zero(before);
  }

  uint64_t Lowest() const {
    std::array<uint64_t, kLanes> lowest;
    lowest.fill(kNone);
    for (size_t i = 0; i < size_; i += kLanes) {
      for (size_t k = 0; k < kLanes; ++k) {
        lowest[k] = std::min(lowest[k], pairs_[i + k]);
      }
    }
    return std::min(std::min(lowest[0], lowest[1]),
                    std::min(lowest[2], lowest[3]));
  }

  const Derivations& derivations_;
  const size_t size_;
  uint64_t begins_;  // of symbols, a bit for each place
  std::array<TokenId, kMost> ids_;
  std::array<uint64_t, kMost> pairs_;
};

template <size_t kMost>
size_t MergeAllOf(const Derivations& derivations, std::span<TokenId> ids) {
  ShortPiece<kMost> symbols(derivations, ids);
  symbols.MergeAll();
  size_t count = 0;
  symbols.ForEach([&](TokenId id) { ids[count++] = id; });
  return count;
}

}  // namespace

void MergeShort(const Derivations& derivations, const BytePairs& bytes,
                std::string_view piece, std::vector<TokenId>& ids) {
  ShortPiece<kMostMergedBytes> symbols(derivations, bytes, piece);
  symbols.MergeAll();
  symbols.ForEach([&](TokenId id) { ids.push_back(id); });
}

size_t MergeShort(const Derivations& derivations, std::span<TokenId> ids) {
  if (ids.size() == 2) {  // as most are
    const uint32_t rank = derivations.ranks().Find(ids[0], ids[1]);
    if (rank == Merge::kNever) return 2;
    ids[0] = derivations.TokenOfRank(rank);
    return 1;
  }
  constexpr size_t kMostAsARule = 16;
  return ids.size() <= kMostAsARule
             ? MergeAllOf<kMostAsARule>(derivations, ids)
             : MergeAllOf<kMostMergedIds>(derivations, ids);
}

}  // namespace penstock
