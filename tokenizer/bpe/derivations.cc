#include "tokenizer/bpe/derivations.h"

#include <algorithm>
#include <string_view>

namespace penstock {

Derivations::Derivations(const Vocabulary& vocabulary)
    : tokens_(vocabulary.size()) {
  merges_.Reserve(vocabulary.tokens());
  for (int byte = 0; byte < 256; ++byte) {
    const char spelled = static_cast<char>(byte);
    if (const auto id = vocabulary.Find({&spelled, 1})) tokens_[*id].when = 0;
  }
}

void Derivations::Consider(const MergeTable::Pair& pair) {
  if (Has(pair.merge.merged)) return;
  if (!Has(pair.left) || !Has(pair.right)) {
    early_.push_back({pair.left, pair.right});
  } else if (StayApart(pair.left, pair.right)) {
    tokens_[pair.merge.merged] = {pair.left, pair.right, pair.merge.rank + 1};
    merges_.Add(pair.left, pair.right, pair.merge);
  }
}

bool Derivations::Finish() {
  return std::ranges::none_of(std::exchange(early_, {}), [this](auto& pair) {
    return Has(pair.first) && Has(pair.second);
  });
}

bool Derivations::StayApart(TokenId left, TokenId right) const {
  // Goes back in time: undoes the later of the two tokens' last merges, the
  // right one's where they are equal, until both are bytes. A pair that could
  // have merged across the place before that would have.
  uint32_t until = kNever;
  while (true) {
    const Merge across = merges_.Find(left, right);
    if (across.rank < until) return false;
    const Token& l = tokens_[left];
    const Token& r = tokens_[right];
    if (l.when > r.when) {
      until = l.when - 1;  // a merge of the same rank here is further right
      left = l.right;
    } else {
      if (r.when == 0) return true;
      until = r.when;
      right = r.left;
    }
  }
}

std::optional<Derivations> Derivations::FromMerges(const Vocabulary& vocabulary,
                                                   const MergeTable& merges) {
  Derivations derivations(vocabulary);
  for (const MergeTable::Pair& pair : merges.PairsByRank()) {
    derivations.Consider(pair);
  }
  if (!derivations.Finish()) return std::nullopt;
  return derivations;
}

std::optional<Derivations> Derivations::FromRanks(
    const Vocabulary& vocabulary, std::span<const TokenId> shorter) {
  Derivations derivations(vocabulary);
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.Has(id)) continue;
    const std::string_view bytes = vocabulary.BytesOf(id);
    const size_t early = derivations.early_.size();
    // The longest that leaves a token is mostly the one.
    for (TokenId left = shorter[id]; left != kNoToken && !derivations.Has(id);
         left = shorter[left]) {
      const auto right =
          vocabulary.Find(bytes.substr(vocabulary.BytesOf(left).size()));
      if (!right) continue;
      derivations.Consider({left, *right, {.rank = id, .merged = id}});
    }
    // All cuts have one rank: parts that come later find the token made.
    if (derivations.Has(id)) derivations.early_.resize(early);
  }
  if (!derivations.Finish()) return std::nullopt;
  return derivations;
}

}  // namespace penstock
