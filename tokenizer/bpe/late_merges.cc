// Of derivations.h: pairs of which a part comes about after their rank.
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tokenizer/bpe/derivations.h"

namespace penstock {
namespace {

// What merges at once when a pair does: the pair's token, next to others that
// were there, then what comes of that. The definition does so at one place
// after the other, ranks do all places for each pair. That is one where nothing
// that comes of one place is wanted at another.
class Burst {
 public:
  // Of the pair that others wait for.
  explicit Burst(const MergeTable::Pair& pair)
      : left_part_(pair.left), made_({pair.merge.merged}) {}

  // False where that cannot be told of the pair, one part of which it made.
  bool Add(const MergeTable::Pair& pair) {
    const bool is_left = made_.contains(pair.left);
    if (is_left && made_.contains(pair.right)) return false;
    const TokenId other = is_left ? pair.right : pair.left;
    // Further right it may yet become part of the next place.
    if (is_left && other == left_part_) return false;
    // It may be between two places.
    if ((is_left ? lefts_ : rights_).contains(other)) return false;
    (is_left ? rights_ : lefts_).insert(other);
    made_.insert(pair.merge.merged);
    return true;
  }

 private:
  using Tokens = std::unordered_set<TokenId>;
  const TokenId left_part_;
  Tokens made_;
  Tokens lefts_, rights_;  // what merges with these from the left, the right
};

}  // namespace

std::optional<Derivations> Derivations::FromLateMerges(
    const Vocabulary& vocabulary, std::span<const MergeTable::Pair> pairs) {
  if (vocabulary.size() >= PairRanks::kEndOfIds) return std::nullopt;
  Derivations derivations(vocabulary);
  uint32_t rank = 0;
  derivations.token_of_rank_.Resize(vocabulary.size());
  // Of `pairs`, by a part that is not there yet.
  std::unordered_map<TokenId, std::vector<size_t>> waiting;
  // Whether the pair merges from here on.
  const auto take = [&](size_t i) {
    const auto& [left, right, merge] = pairs[i];
    if (derivations.Has(merge.merged)) return false;
    for (const TokenId part : {left, right}) {
      if (derivations.Has(part)) continue;
      waiting[part].push_back(i);
      return false;
    }
    if (!derivations.StayApart(left, right)) return false;
    derivations.token_of_rank_.At(rank) = merge.merged;
    derivations.Take(left, right, merge.merged, rank++);
    return true;
  };
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  const auto wake_who_waits_for = [&](TokenId made) {
    const auto found = waiting.find(made);
    if (found == waiting.end()) return;
    for (const size_t i : found->second) ready.push(i);
    waiting.erase(found);
  };
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (!take(i)) continue;
    Burst burst(pairs[i]);
    wake_who_waits_for(pairs[i].merge.merged);
    while (!ready.empty()) {
      const size_t late = ready.top();
      ready.pop();
      if (!take(late)) continue;
      if (!burst.Add(pairs[late])) return std::nullopt;
      wake_who_waits_for(pairs[late].merge.merged);
    }
  }
  return derivations;
}

}  // namespace penstock
