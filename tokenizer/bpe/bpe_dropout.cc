#include "tokenizer/bpe/bpe_dropout.h"

#include <fmt/format.h>

#include <functional>
#include <queue>
#include <utility>

namespace penstock {

void MergeByHeap(const MergeTable& merges, const Dropout* dropout,
                 std::vector<BpeSymbol>& symbols) {
  constexpr uint32_t kNone = 0xffffffff;
  const auto count = static_cast<uint32_t>(symbols.size());
  std::vector<uint32_t> next(count), previous(count);
  for (uint32_t i = 0; i < count; ++i) {
    next[i] = i + 1 < count ? i + 1 : kNone;
    previous[i] = i > 0 ? i - 1 : kNone;
  }
  struct Candidate {
    uint32_t rank, left;
    TokenId merged;
    bool operator>(const Candidate& other) const {
      return rank != other.rank ? rank > other.rank : left > other.left;
    }
  };
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto consider = [&](uint32_t left) {
    if (left == kNone || next[left] == kNone) return;
    const Merge merge = merges.Find(symbols[left].id, symbols[next[left]].id);
    if (merge.rank != Merge::kNever) {
      queue.push({merge.rank, left, merge.merged});
    }
  };
  for (uint32_t i = 0; i < count; ++i) consider(i);
  std::vector<Candidate> left_out;
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    if (dropout != nullptr && dropout->draws.Next() < dropout->rate) {
      left_out.push_back(best);
      continue;
    }
    for (const Candidate& candidate : left_out) queue.push(candidate);
    left_out.clear();
    const uint32_t left = best.left;
    const uint32_t right = next[left];
    if (symbols[left].size == 0 || right == kNone) continue;
    // Neighbours change while a candidate waits.
    const Merge now = merges.Find(symbols[left].id, symbols[right].id);
    if (now.rank == Merge::kNever || now.merged != best.merged) continue;
    symbols[left].id = best.merged;
    symbols[left].size += std::exchange(symbols[right].size, 0);
    next[left] = next[right];
    if (next[left] != kNone) previous[next[left]] = left;
    consider(previous[left]);
    consider(left);
  }
}

void AppendIds(std::span<const BpeSymbol> symbols, std::vector<TokenId>& ids) {
  for (const BpeSymbol& symbol : symbols) {
    if (symbol.size != 0) ids.push_back(symbol.id);
  }
}

StatusOr<double> DropoutRate(const Sampling& sampling,
                             std::optional<double> of_file) {
  const double rate = sampling.alpha.value_or(of_file.value_or(0.1));
  if (rate >= 0 && rate <= 1) return rate;
  return InvalidArgumentError(fmt::format(
      "alpha is {}; the chance of a merge to be left out is 0 to 1", rate));
}

}  // namespace penstock
