// The best merge first: SentencePiece's BPE model.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "tokenizer/bpe/bpe_dropout.h"
#include "tokenizer/pieces/part_cache.h"
#include "tokenizer/sentencepiece/segmenter.h"
#include "tokenizer/sentencepiece/sentencepiece_model.h"
#include "tokenizer/sentencepiece/user_defined_symbols.h"
#include "tokenizer/vocabulary/piece_boundaries.h"
#include "tokenizer/vocabulary/table.h"
#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {

// Starts from characters and user-defined symbols. Of all neighbours that
// together spell a piece, and are no user-defined symbols, those with the
// largest score merge, the leftmost of equal ones; and again. A piece that came
// out but is unused is taken apart as it was put together.
class MergeSegmenter final : public Segmenter {
 public:
  // `tokens` finds each of `pieces`. It and `symbols` must outlive this.
  MergeSegmenter(std::span<const SentencePiece> pieces,
                 PieceBoundaries boundaries, const Vocabulary& tokens,
                 const UserDefinedSymbols& symbols);
  MergeSegmenter(TableReader& from, const Vocabulary& tokens,
                 const UserDefinedSymbols& symbols);
  void Save(TableWriter& to) const override;

  std::unique_ptr<Scratch> NewScratch() const override;
  void ForgetTexts() const override { known_.Clear(); }

  // Cost:    n log n for a part of n characters; nearly nothing for one seen
  //          before. At most 60 bytes for each character of a part.
  void Segment(std::string_view text, Scratch& scratch,
               PieceSink& sink) const override;
  // Each merge that has its turn is left out with the chance of alpha.
  Status Sample(std::string_view text, const Sampling& sampling, Draws& draws,
                Scratch& scratch, PieceSink& sink) const override;

 private:
  // What text may become.
  enum class Kind : uint8_t {
    kPiece,
    kUnused,
    kReserved  // no text becomes that
  };
  struct OwnScratch;
  struct Symbol;

  // Of one that PartCache has no room for, or that nobody may remember.
  void SegmentLongPart(std::string_view part, OwnScratch& scratch,
                       PieceSink& sink) const;
  // `dropout` may be null.
  void SegmentPart(std::string_view part, const Dropout* dropout,
                   OwnScratch& scratch, PieceSink& sink) const;
  void Split(std::string_view part, OwnScratch& scratch) const;
  // When it is the turn of the merge of `left` and the one behind it.
  uint64_t Offer(std::string_view part, uint32_t left,
                 OwnScratch& scratch) const;
  // Merges it with the one behind it.
  void Apply(uint32_t left, OwnScratch& scratch) const;
  void TakeApart(std::string_view text, OwnScratch& scratch,
                 PieceSink& sink) const;
  // kNoToken if `text` is no piece.
  TokenId Find(std::string_view text) const {
    const auto id = tokens_.Find(text);
    return id && kinds_[*id] != Kind::kReserved ? *id : kNoToken;
  }

  const Vocabulary& tokens_;
  const UserDefinedSymbols& symbols_;
  PieceBoundaries boundaries_;
  Table<uint32_t> ranks_;  // by id: the smaller, the sooner merged
  Table<Kind> kinds_;      // by id
  bool has_unused_ = false;
  mutable SharedParts known_;
};

}  // namespace penstock
