#include "tokenizer/bpe/stored_matcher.h"

#include <utility>

#include "formats/files/crc32c.h"
#include "tokenizer/vocabulary/vocabulary_trie.h"

namespace penstock {

std::optional<TokenMatcher> MakeMatcher(const Vocabulary& vocabulary,
                                        const MergePairs& pairs) {
  auto tokens = TokenTrieOf(vocabulary);
  if (!tokens.ok()) return std::nullopt;
  auto derivations = pairs
                         ? Derivations::FromMerges(vocabulary, pairs->values())
                         : Derivations::FromRanks(vocabulary, tokens->shorter);
  if (!derivations) {
    derivations = Derivations::FromLateMerges(
        vocabulary,
        pairs ? pairs->values() : MergesByRank(vocabulary).PairsByRank());
  }
  if (!derivations) return std::nullopt;
  return TokenMatcher(vocabulary, *std::move(derivations), *std::move(tokens));
}

const TokenMatcher& StoredMatcher::GetFirst() const {
  std::call_once(made_, [this] { matcher_ = LoadOrMake(); });
  got_.store(&*matcher_, std::memory_order_release);
  return *matcher_;
}

std::optional<TokenMatcher> StoredMatcher::LoadOrMake() const {
  if (Crc32c(tables_) == checksum_) {
    TableReader reader(tables_);
    TokenMatcher matcher = TokenMatcher::Load(reader);
    if (reader.ok()) return matcher;
  }
  return MakeMatcher(vocabulary_, pairs_);
}

}  // namespace penstock
