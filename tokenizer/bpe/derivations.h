// How merges make each token, and with that, which tokens can be neighbours.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tokenizer/bpe/merge_table.h"
#include "tokenizer/bpe/pair_ranks.h"
#include "tokenizer/vocabulary/stored_tables.h"
#include "tokenizer/vocabulary/table.h"
#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {

// Where ranks grow from parts to wholes, a token comes about in one way: as
// long as no merge crosses its ends, what happens between them is what would
// happen to its bytes alone. So one pair, or none, ever makes it; and tokens
// are the encoding of their bytes exactly if each two neighbours would stay
// apart without the others.
//
// Source:  H. van Antwerpen and A. Neubeck, "So many tokens, so little time",
//          github.blog, 2024, for the test of neighbours.
//
// Threads: any number at a time, once made.
class Derivations {
 public:
  // Nullopt where two tokens can be neighbours that would have merged before
  // they came about, and for vocabularies larger than any that is known: see
  // PairRanks. `pairs` are those of a MergeTable, by rank.
  static std::optional<Derivations> FromMerges(
      const Vocabulary& vocabulary, std::span<const MergeTable::Pair> pairs);
  // Of rank semantics, see MergesByRank. `shorter` is TokenTrieOf's.
  static std::optional<Derivations> FromRanks(const Vocabulary& vocabulary,
                                              std::span<const TokenId> shorter);
  // Where FromMerges and FromRanks are nullopt: such neighbours merge as soon
  // as they are there. Nullopt where one text has different encodings by that;
  // see late_merges.cc. `pairs`, by rank, may have equal ranks for one token.
  static std::optional<Derivations> FromLateMerges(
      const Vocabulary& vocabulary, std::span<const MergeTable::Pair> pairs);

  // Some text leads to the token.
  bool Has(TokenId id) const {
    return id < tokens_.size() && tokens_[id].when != kNever;
  }

  // The rank of the pair of each token that Has: that of the file, or another
  // number that grows with it. Merging by these alone gives every encoding.
  const PairRanks& ranks() const { return ranks_; }
  // What pairs become, by their rank; null where that is the rank.
  const TokenId* tokens_of_ranks() const {
    return token_of_rank_.empty() ? nullptr : token_of_rank_.data();
  }
  // What a pair of that rank becomes.
  TokenId TokenOfRank(uint32_t rank) const {
    return token_of_rank_.empty() ? rank : token_of_rank_[rank];
  }

  // Whether the bytes of the two, which Has, are encoded as these two.
  //
  // Cost:    a lookup for each merge that touches the place between them.
  bool StayApart(TokenId left, TokenId right) const {
    return StayApart<false>(left, right);
  }
  // The same where characters of three bytes are on both sides, and every token
  // that reaches over the place has all of both: see CharCuts.
  bool WholeCharsStayApart(TokenId left, TokenId right) const {
    return StayApart<true>(left, right);
  }
  // Asks for the memory that both look at first.
  void Prefetch(TokenId left, TokenId right) const {
    __builtin_prefetch(&tokens_[left]);
    __builtin_prefetch(&tokens_[right]);
    ranks_.Prefetch(left, right);
  }

  // What Load makes these of again, that look where `from` does.
  void Save(TableWriter& to) const;
  static Derivations Load(TableReader& from);

 private:
  static constexpr uint32_t kNever = 0xffffffff;
  // A part of a token: its id, and whether it is a byte, or has less than a
  // character of three bytes.
  class Part {
   public:
    Part() = default;
    Part(TokenId id, bool is_byte, bool is_less)
        : bits_(id << 2 | uint32_t{is_byte} << 1 | uint32_t{is_less}) {}
    TokenId id() const { return bits_ >> 2; }
    bool is_byte() const { return (bits_ & 2) != 0; }
    bool is_less() const { return (bits_ & 1) != 0; }

   private:
    uint32_t bits_ = 0;
  };
  struct Token {
    Part left, right;        // of all but bytes
    uint32_t when = kNever;  // 0 for a byte, else one more than its rank
  };

  explicit Derivations(const Vocabulary& vocabulary);
  Derivations(Table<Token> tokens, PairRanks ranks, Table<TokenId> of_ranks)
      : tokens_(std::move(tokens)),
        ranks_(std::move(ranks)),
        token_of_rank_(std::move(of_ranks)) {}
  template <bool kWholeChars>
  bool StayApart(TokenId left, TokenId right) const;
  Part PartOf(TokenId id) const {
    const Token& token = tokens_[id];
    const bool is_byte = token.when == 0;
    return {id, is_byte,
            is_byte || (token.left.is_byte() && token.right.is_byte())};
  }
  // These are to be called by rank. The first takes the pair if it is what
  // makes its token, given all merges before; the second knows that it is.
  void Consider(TokenId left, TokenId right, TokenId merged, uint32_t rank);
  void Take(TokenId left, TokenId right, TokenId merged, uint32_t rank);
  // False if a pair that came before its parts would merge after all.
  bool Finish();

  Table<Token> tokens_;
  PairRanks ranks_;
  Table<TokenId> token_of_rank_;                    // empty where both are one
  std::vector<std::pair<TokenId, TokenId>> early_;  // until Finish
};

}  // namespace penstock
