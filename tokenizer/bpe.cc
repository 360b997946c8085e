#include "tokenizer/bpe.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>
#include <utility>

namespace penstock {
Bpe Bpe::FromMerges(const Vocabulary& vocabulary, MergeTable merges) {
  std::optional<TokenMatcher> matcher;
  if (auto derivations = Derivations::FromMerges(vocabulary, merges)) {
    matcher = TokenMatcher::Make(vocabulary, *std::move(derivations));
  }
  if (matcher) merges = {};
  return Bpe(vocabulary, std::move(matcher), std::move(merges));
}

Bpe Bpe::FromRanks(const Vocabulary& vocabulary) {
  std::optional<TokenMatcher> matcher;
  if (auto derivations = Derivations::FromRanks(vocabulary)) {
    matcher = TokenMatcher::Make(vocabulary, *std::move(derivations));
  }
  MergeTable merges;
  if (!matcher) merges = MergesByRank(vocabulary);
  return Bpe(vocabulary, std::move(matcher), std::move(merges));
}

Bpe::Bpe(const Vocabulary& vocabulary, std::optional<TokenMatcher> matcher,
         MergeTable merges)
    : matcher_(std::move(matcher)),
      merges_(std::move(merges)),
      makes_every_token_(matcher_ && matcher_->has_every_token()) {
  for (size_t byte = 0; byte < 256; ++byte) {
    const char spelled = static_cast<char>(byte);
    byte_ids_[byte] = vocabulary.Find({&spelled, 1}).value_or(kNoToken);
  }
}

void Bpe::Encode(std::string_view piece, Neighbours& neighbours,
                 std::vector<TokenId>& ids) const {
  if (piece.empty()) return;
  if (matcher_) return matcher_->Encode(piece, neighbours, ids);
  EncodeByMerging(piece, ids);
}

void Bpe::EncodeByMerging(std::string_view piece,
                          std::vector<TokenId>& ids) const {
  constexpr uint32_t kEnd = 0xffffffff;
  struct Symbol {
    TokenId id;  // kNoToken once merged into the one before
    uint32_t previous, next;
  };
  struct Candidate {
    uint32_t rank, position;
    TokenId left, right;  // what it would merge: stale if they changed
    TokenId merged;
    bool operator>(const Candidate& other) const {
      return std::pair(rank, position) > std::pair(other.rank, other.position);
    }
  };
  const auto n = static_cast<uint32_t>(piece.size());
  std::vector<Symbol> symbols(n);
  std::vector<Candidate> storage;
  storage.reserve(n);
  std::priority_queue heap(std::greater<Candidate>(), std::move(storage));
  const auto consider = [&](uint32_t position) {
    const Symbol& left = symbols[position];
    if (left.next == kEnd) return;
    const TokenId right = symbols[left.next].id;
    const Merge merge = merges_.Find(left.id, right);
    if (merge.rank == Merge::kNever) return;
    heap.push({merge.rank, position, left.id, right, merge.merged});
  };
  for (uint32_t i = 0; i < n; ++i) {
    symbols[i] = {byte_ids_[static_cast<unsigned char>(piece[i])],
                  i == 0 ? kEnd : i - 1, i + 1 == n ? kEnd : i + 1};
  }
  for (uint32_t i = 0; i < n; ++i) consider(i);
  while (!heap.empty()) {
    const Candidate best = heap.top();
    heap.pop();
    Symbol& left = symbols[best.position];
    if (left.id != best.left || left.next == kEnd) continue;
    Symbol& right = symbols[left.next];
    if (right.id != best.right) continue;
    left.id = best.merged;
    right.id = kNoToken;
    left.next = right.next;
    if (left.next != kEnd) symbols[left.next].previous = best.position;
    if (left.previous != kEnd) consider(left.previous);
    consider(best.position);
  }
  for (uint32_t i = 0; i != kEnd; i = symbols[i].next) {
    ids.push_back(symbols[i].id);
  }
}

}  // namespace penstock
