// The most likely pieces: SentencePiece's unigram model, rounding included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/pieces/part_cache.h"
#include "tokenizer/sentencepiece/segmenter.h"
#include "tokenizer/sentencepiece/sentencepiece_model.h"
#include "tokenizer/sentencepiece/unigram_rules.h"
#include "tokenizer/vocabulary/piece_boundaries.h"
#include "tokenizer/vocabulary/piece_trie.h"
#include "tokenizer/vocabulary/table.h"
#include "tokenizer/vocabulary/unigram_lattice.h"

namespace penstock {

// Of all ways to cut the text into pieces the one with the largest sum of
// scores, where a character without a piece of its own may stand alone, with
// 10 less than the smallest score. Of equal sums the one whose last piece is
// longest, and so on to the left.
//
// Sums are rounded to float after each piece from the text's start, so that
// long before two sums are equal it is the rounding that decides between them.
// The reference's ids come out only if all is added in its order. So a part's
// ids are remembered with how far its best sum is ahead: they are taken where
// that is more than rounding can make up for.
template <typename Real>
class UnigramSegmenter final : public Segmenter {
 public:
  // `trie` holds the pieces of `pieces` that are found in text.
  UnigramSegmenter(std::span<const SentencePiece> pieces, PieceTrie trie,
                   PieceBoundaries boundaries);
  explicit UnigramSegmenter(TableReader& from);
  void Save(TableWriter& to) const override;

  std::unique_ptr<Scratch> NewScratch() const override;
  void ForgetTexts() const override { known_.Clear(); }

  // Cost:    a step in the trie for each byte of each piece that begins at each
  //          character; nearly none of them in a part seen before. Memory: two
  //          bytes for each of the text between two places that no piece
  //          crosses, twelve where a piece has 64 KiB or more.
  void Segment(std::string_view text, Scratch& scratch,
               PieceSink& sink) const override;

  // Both take memory for all of the text: see unigram_lattice.h.
  Status Sample(std::string_view text, const Sampling& sampling, Draws& draws,
                Scratch& scratch, PieceSink& sink) const override;
  Status Best(std::string_view text, size_t count,
              std::vector<Way>& ways) const override;

 private:
  struct OwnScratch;

  // The best path that ends at a place.
  struct Ending {
    static constexpr uint32_t kNone = 0xffffffff;

    float score = 0;
    uint32_t begin = kNone;  // of the last piece
    int32_t id = 0;          // PieceTrie::kNoPiece: unknown
  };

  // Segments `part` after a path of `score`; returns the path's score with it.
  float SegmentPart(std::string_view part, float score, OwnScratch& scratch,
                    PieceSink& sink) const;
  // Gives the pieces of the path that ends at `endings[end]`.
  static void Emit(std::string_view part, size_t end, OwnScratch& scratch,
                   PieceSink& sink);
  // The same where the endings are those from a later place of `part` on, and
  // `lengths` has what comes before.
  void EmitLong(std::string_view part, OwnScratch& scratch,
                PieceSink& sink) const;
  // What to remember; no ids if there are too many.
  PartIds Remembered(std::string_view part, const PieceSink& sink) const;
  // Gives the pieces of `part` that `known` has, some unknown.
  void PutWithUnknown(std::string_view part, const PartIds& known,
                      PieceSink& sink) const;

  // What stands for a character without a piece among others in PartIds.
  TokenId UnknownId() const {
    return static_cast<TokenId>(lattice_scores_.size());
  }
  UnigramLattice<float> LatticeOf(std::string_view text) const;

  const PieceTrie trie_;
  const PieceBoundaries boundaries_;
  Table<Real> scores_;           // by id, UnknownId too
  Table<uint16_t> sizes_;        // by id: bytes of the piece
  Table<float> lattice_scores_;  // by id: what a lattice adds up
  float unknown_score_;
  size_t longest_ = 0;        // bytes of a piece
  double largest_score_ = 0;  // of all, the unknown one too, without sign
  mutable SharedParts known_;
};

extern template class UnigramSegmenter<float>;
extern template class UnigramSegmenter<double>;

}  // namespace penstock
