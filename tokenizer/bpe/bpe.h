// Byte-pair encoding of one piece: merges the pair of lowest rank, again and
// again, the leftmost where ranks are equal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tokenizer/bpe/bpe_dropout.h"
#include "tokenizer/bpe/merge_table.h"
#include "tokenizer/bpe/neighbours.h"
#include "tokenizer/bpe/token_matcher.h"
#include "tokenizer/interface/tokenizer.h"
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

  // What merging `piece` starts from, and the pairs of FromMerges.
  std::vector<BpeSymbol> SymbolsOf(std::string_view piece) const;
  const MergeTable& merges() const { return merges_; }

  // Encoding the bytes of any token that the vocabulary finds gives that token.
  bool makes_every_token() const { return makes_every_token_; }
  bool HasByte(unsigned char byte) const { return byte_ids_[byte] != kNoToken; }

 private:
  Bpe(const Vocabulary& vocabulary, std::optional<TokenMatcher> matcher,
      MergeTable merges);
  TokenId ByteId(unsigned char byte) const { return byte_ids_[byte]; }
  void EncodeByMerging(std::string_view piece, std::vector<TokenId>& ids) const;

  std::array<TokenId, 256> byte_ids_;
  // Null where a token's parts may come about after it.
  std::optional<TokenMatcher> matcher_;
  MergeTable merges_;  // not where ranks have a matcher
  bool makes_every_token_ = false;
};

}  // namespace penstock
