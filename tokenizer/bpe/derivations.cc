#include "tokenizer/bpe/derivations.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace penstock {
namespace {

// How many tokens ahead the place of the right part is asked for: it is hardly
// ever in the cache.
constexpr TokenId kPrefetched = 16;

void PrefetchRightPart(const Vocabulary& vocabulary,
                       std::span<const TokenId> shorter, TokenId id) {
  if (id >= vocabulary.size() || shorter[id] == kNoToken) return;
  const size_t left_bytes = vocabulary.BytesOf(shorter[id]).size();
  vocabulary.Prefetch(vocabulary.BytesOf(id).substr(left_bytes));
}

}  // namespace

Derivations::Derivations(const Vocabulary& vocabulary)
    : tokens_(vocabulary.size()), ranks_(vocabulary.tokens()) {
  for (int byte = 0; byte < 256; ++byte) {
    const char spelled = static_cast<char>(byte);
    if (const auto id = vocabulary.Find({&spelled, 1})) {
      tokens_.At(*id).when = 0;
    }
  }
}

void Derivations::Consider(TokenId left, TokenId right, TokenId merged,
                           uint32_t rank) {
  if (Has(merged)) return;
  if (!Has(left) || !Has(right)) {
    early_.push_back({left, right});
  } else if (StayApart(left, right)) {
    Take(left, right, merged, rank);
  }
}

void Derivations::Take(TokenId left, TokenId right, TokenId merged,
                       uint32_t rank) {
  tokens_.At(merged) = {PartOf(left), PartOf(right), rank + 1};
  ranks_.Add(left, right, rank);
}

bool Derivations::Finish() {
  return std::ranges::none_of(std::exchange(early_, {}), [this](auto& pair) {
    return Has(pair.first) && Has(pair.second) &&
           StayApart(pair.first, pair.second);
  });
}

template <bool kWholeChars>
bool Derivations::StayApart(TokenId left, TokenId right) const {
  // Goes back in time: undoes the later of the two tokens' last merges, the
  // right one's where they are equal, until both are bytes. A pair that could
  // have merged across the place before that would have.
  uint32_t until = kNever;
  while (true) {
    if (ranks_.Find(left, right) < until) return false;
    const Token& l = tokens_[left];
    const Token& r = tokens_[right];
    if (l.when > r.when) {
      until = l.when - 1;  // a merge of the same rank here is further right
      if (kWholeChars && l.right.is_less()) return true;
      left = l.right.id();
    } else {
      if (r.when == 0) return true;
      until = r.when;
      if (kWholeChars && r.left.is_less()) return true;
      right = r.left.id();
    }
  }
}

template bool Derivations::StayApart<false>(TokenId, TokenId) const;
template bool Derivations::StayApart<true>(TokenId, TokenId) const;

std::optional<Derivations> Derivations::FromMerges(
    const Vocabulary& vocabulary, std::span<const MergeTable::Pair> pairs) {
  if (vocabulary.size() >= PairRanks::kEndOfIds ||
      pairs.size() >= PairRanks::kEndOfRanks) {
    return std::nullopt;
  }
  Derivations derivations(vocabulary);
  // Most files number tokens as they are made.
  const bool by_id = std::ranges::is_sorted(
      pairs, std::ranges::less_equal(),
      [](const MergeTable::Pair& pair) { return pair.merge.merged; });
  if (!by_id) derivations.token_of_rank_.Resize(pairs.size());
  for (uint32_t i = 0; i < pairs.size(); ++i) {
    const TokenId merged = pairs[i].merge.merged;
    if (!by_id) derivations.token_of_rank_.At(i) = merged;
    derivations.Consider(pairs[i].left, pairs[i].right, merged,
                         by_id ? merged : i);
  }
  if (!derivations.Finish()) return std::nullopt;
  return derivations;
}

std::optional<Derivations> Derivations::FromRanks(
    const Vocabulary& vocabulary, std::span<const TokenId> shorter) {
  if (vocabulary.size() >= PairRanks::kEndOfIds) return std::nullopt;
  Derivations derivations(vocabulary);
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    PrefetchRightPart(vocabulary, shorter, id + kPrefetched);
    if (!vocabulary.Has(id)) continue;
    const std::string_view bytes = vocabulary.BytesOf(id);
    // The longest that leaves a token is mostly the one.
    for (TokenId left = shorter[id]; left != kNoToken && !derivations.Has(id);
         left = shorter[left]) {
      const auto right =
          vocabulary.Find(bytes.substr(vocabulary.BytesOf(left).size()));
      if (right) derivations.Consider(left, *right, id, id);
    }
  }
  if (!derivations.Finish()) return std::nullopt;
  return derivations;
}

void Derivations::Save(TableWriter& to) const {
  to.PutTable(tokens_);
  ranks_.Save(to);
  to.PutTable(token_of_rank_);
}

Derivations Derivations::Load(TableReader& from) {
  auto tokens = from.TakeTable<Token>();
  PairRanks ranks = PairRanks::Load(from);
  auto of_ranks = from.TakeTable<TokenId>();
  return {std::move(tokens), std::move(ranks), std::move(of_ranks)};
}

}  // namespace penstock
