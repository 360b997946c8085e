// The pieces of a batch that are not known, looked at side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tokenizer/bpe/bpe.h"
#include "tokenizer/bpe/lane_merges.h"
#include "tokenizer/bpe/part_encoder.h"
#include "tokenizer/bpe/piece_batch.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/token_search.h"
#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {

// Threads: one at a time.
class NewPieces {
 public:
  enum class Way {
    kAlone,   // nothing is done here
    kToken,   // it may be a token, which is then its encoding
    kParts,   // it is right to encode it part by part
    kMerged,  // of up to LaneMerges::kMostBytes bytes, where LaneMerges is
  };
  // Pieces of a batch of which enough are new, as a rule, to be kMerged.
  static constexpr size_t kManyPieces = 128;

  // All must outlive it, and so must the pieces.
  NewPieces(const Vocabulary& vocabulary, const Bpe& bpe, LaneMerges& merges,
            PartEncoder& parts)
      : bpe_(bpe), tokens_(vocabulary), merges_(merges), parts_(parts) {
    merges_.Clear();
  }

  // At most PieceBatch::kMost, before the first IdsOf.
  void Add(std::string_view piece, Way way) {
    if (way == Way::kParts && !parts_.HasRoomFor(piece)) way = Way::kAlone;
    way == Way::kToken ? tokens_.Add(piece) : tokens_.Skip();
    ways_[count_] = way;
    if (way == Way::kMerged) {
      numbers_[count_] = static_cast<uint16_t>(merges_.Add(piece));
    } else if (way == Way::kParts) {
      numbers_[count_] = static_cast<uint16_t>(parts_.Add(piece));
    }
    ++count_;
  }
  // The ids of the one that was added as that, from 0 on; nullopt where nothing
  // was done, or no token found: merging it alone is then right.
  std::optional<std::span<const TokenId>> IdsOf(size_t nth) {
    switch (ways_[nth]) {
      case Way::kAlone:
        return std::nullopt;
      case Way::kToken:
        return TokenOf(nth);
      case Way::kParts:
        return parts_.IdsOf(numbers_[nth]);
      case Way::kMerged:
        return MergedIdsOf(numbers_[nth]);
    }
    __builtin_unreachable();
  }

 private:
  static_assert(TokenSearch::kMost >= PieceBatch::kMost);

  std::optional<std::span<const TokenId>> TokenOf(size_t nth) {
    const auto id = tokens_.Find(nth);
    if (!id) return std::nullopt;
    token_ = *id;
    return std::span(&token_, 1);
  }
  std::optional<std::span<const TokenId>> MergedIdsOf(size_t number) {
    // A few take longer side by side than alone.
    constexpr size_t kFewest = 5;
    if (merges_.size() < kFewest) return std::nullopt;
    if (!ran_) merges_.Run(bpe_.derivations(), bpe_.byte_pairs());
    ran_ = true;
    return merges_.IdsOf(number);
  }

  const Bpe& bpe_;
  TokenSearch tokens_;
  TokenId token_;
  LaneMerges& merges_;
  bool ran_ = false;
  PartEncoder& parts_;
  size_t count_ = 0;
  std::array<Way, PieceBatch::kMost> ways_;
  std::array<uint16_t, PieceBatch::kMost> numbers_;  // in merges_ or parts_
};

}  // namespace penstock
