#include "tokenizer/derivations.h"

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

std::optional<Derivations> Derivations::FromRanks(const Vocabulary& vocabulary,
                                                  const PieceTrie& trie) {
  Derivations derivations(vocabulary);
  std::vector<int32_t> beginnings;  // of each length from 1 on, or kNoPiece
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.Has(id)) continue;
    const std::string_view bytes = vocabulary.BytesOf(id);
    beginnings.resize(bytes.size());
    PieceTrie::Node node = PieceTrie::Root();
    for (size_t i = 0; i < bytes.size(); ++i) {
      trie.Step(node, static_cast<unsigned char>(bytes[i]), beginnings[i]);
    }
    const size_t early = derivations.early_.size();
    // Long beginnings first: mostly the longest that has a rest is the one.
    for (size_t cut = bytes.size(); cut-- > 1 && !derivations.Has(id);) {
      if (beginnings[cut - 1] == PieceTrie::kNoPiece) continue;
      const auto left = static_cast<TokenId>(beginnings[cut - 1]);
      const auto right = vocabulary.Find(bytes.substr(cut));
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
