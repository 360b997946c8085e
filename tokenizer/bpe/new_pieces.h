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
    kMerged,  // of up to LaneMerges::kMostBytes bytes, where LaneMerges is
  };
  // Pieces of a batch of which enough are new, as a rule, to be kMerged.
  static constexpr size_t kManyPieces = 128;

  // All must outlive it, and so must the pieces.
  NewPieces(const Vocabulary& vocabulary, const Bpe& bpe, LaneMerges& merges)
      : bpe_(bpe), tokens_(vocabulary), merges_(merges) {
    merges_.Clear();
  }

  // At most PieceBatch::kMost, before the first IdsOf.
  void Add(std::string_view piece, Way way) {
    way == Way::kToken ? tokens_.Add(piece) : tokens_.Skip();
    merged_[count_++] = way == Way::kMerged
                            ? static_cast<uint16_t>(merges_.Add(piece))
                            : kNotMerged;
  }
  // The ids of the one that was added as that, from 0 on; nullopt where nothing
  // was done, or no token found: merging it alone is then right.
  std::optional<std::span<const TokenId>> IdsOf(size_t nth) {
    if (merged_[nth] == kNotMerged) {
      const auto id = tokens_.Find(nth);
      if (!id) return std::nullopt;
      token_ = *id;
      return std::span(&token_, 1);
    }
    // A few take longer side by side than alone.
    constexpr size_t kFewest = 5;
    if (merges_.size() < kFewest) return std::nullopt;
    if (!ran_) merges_.Run(bpe_.derivations(), bpe_.byte_pairs());
    ran_ = true;
    return merges_.IdsOf(merged_[nth]);
  }

 private:
  static constexpr uint16_t kNotMerged = 0xffff;
  static_assert(TokenSearch::kMost >= PieceBatch::kMost &&
                PieceBatch::kMost <= kNotMerged);

  const Bpe& bpe_;
  TokenSearch tokens_;
  TokenId token_;
  LaneMerges& merges_;
  bool ran_ = false;
  size_t count_ = 0;
  std::array<uint16_t, PieceBatch::kMost> merged_;  // numbers in merges_
};

}  // namespace penstock
