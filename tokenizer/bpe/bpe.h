// Byte-pair encoding of one piece: merges the pair of lowest rank, again and
// again, the leftmost where ranks are equal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/bpe/bpe_dropout.h"
#include "tokenizer/bpe/merge_table.h"
#include "tokenizer/bpe/neighbours.h"
#include "tokenizer/bpe/stored_matcher.h"
#include "tokenizer/bpe/token_matcher.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/char_cuts.h"
#include "tokenizer/vocabulary/char_trie.h"
#include "tokenizer/vocabulary/stored_tables.h"
#include "tokenizer/vocabulary/unmade_tokens.h"
#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {

// Threads: any number at a time.
class Bpe {
 public:
  // The pairs of `merges` merge, and no others.
  static Bpe FromMerges(const Vocabulary& vocabulary, MergeTable merges);
  // See MergesByRank.
  static Bpe FromRanks(const Vocabulary& vocabulary);

  // Appends the ids of `piece`, every byte of which HasByte.
  //
  // Cost:    linear; n log n for vocabularies where ranks do not grow from
  //          parts to wholes.
  void Encode(std::string_view piece, Neighbours& neighbours,
              std::vector<TokenId>& ids) const;

  // Where pieces can be cut, so that the parts' encodings behind each other are
  // the piece's; null where nobody knows.
  const CharCuts* cuts() const {
    const TokenMatcher* const known = matcher();
    return known == nullptr ? nullptr : &known->cuts();
  }

  // The tokens of whole characters. Where there are cuts.
  const CharTrie& chars() const { return matcher()->chars(); }

  // What merges short pieces. Where there are cuts.
  const Derivations& derivations() const { return matcher()->derivations(); }
  const BytePairs& byte_pairs() const { return matcher()->bytes(); }
  // Merges up to kMostMergedIds ids of bytes that stand behind each other, in
  // place; returns how many are left. Where there are cuts.
  size_t MergeIds(std::span<TokenId> ids) const;

  // What merging `piece` starts from.
  std::vector<BpeSymbol> SymbolsOf(std::string_view piece) const;
  // The pairs that merge: one of the two has those of FromMerges; of FromRanks
  // both may be empty.
  const MergeTable& merges() const { return merges_; }
  std::span<const MergeTable::Pair> pairs() const {
    return pairs_ ? pairs_->values() : std::span<const MergeTable::Pair>();
  }

  // Whether Save can be called: nearly all vocabularies have a matcher.
  bool CanSave() const { return stored_ != nullptr || matcher_.has_value(); }
  // `soon` is looked at by Load, `later` once a piece asks for it.
  void Save(TableWriter& soon, TableWriter& later) const;
  // Of the same vocabulary. `later_checksum` is the CRC-32C of `later`. Looks
  // where the three do.
  static Bpe Load(const Vocabulary& vocabulary, TableReader& soon,
                  std::string_view later, uint32_t later_checksum);

  // Encoding these bytes gives the token that the vocabulary finds for them, if
  // there is one; false where nobody knows.
  bool MakesTokenOf(std::string_view bytes) const {
    return CanSave() && !unmade_.MayHave(bytes);
  }
  TokenId ByteId(unsigned char byte) const { return byte_ids_[byte]; }
  bool HasByte(unsigned char byte) const { return byte_ids_[byte] != kNoToken; }

 private:
  Bpe(const Vocabulary& vocabulary, std::optional<TokenMatcher> matcher,
      MergePairs pairs, MergeTable merges);
  // Null where a token's parts may come about after it.
  const TokenMatcher* matcher() const {
    if (stored_ != nullptr) return &stored_->Get();
    return matcher_ ? &*matcher_ : nullptr;
  }
  void EncodeByMerging(std::string_view piece, std::vector<TokenId>& ids) const;

  std::array<TokenId, 256> byte_ids_;
  // One at most.
  std::optional<TokenMatcher> matcher_;
  std::unique_ptr<const StoredMatcher> stored_;
  MergePairs pairs_;   // where merges have a matcher
  MergeTable merges_;  // where there is no matcher
  UnmadeTokens unmade_;
};

}  // namespace penstock
