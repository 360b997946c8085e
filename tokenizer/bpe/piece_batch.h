// Turns the pieces of a text into ids, many side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "formats/files/status.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/pieces/piece_memory.h"

namespace penstock {

// All keys first, then all lookups, then what is not known: the tables' lines
// come while keys are made, those of new pieces while others are looked up.
//
// Threads: one at a time.
class PieceBatch {
 public:
  static constexpr size_t kMost = 2048;  // pieces
  static constexpr size_t kUnexpected = ~size_t{0};

  // `text` must outlive it. `ids` get the pieces' ids. Each Encode is within a
  // visit of `memory`.
  PieceBatch(std::string_view text, PieceMemory& memory,
             std::vector<TokenId>& ids)
      : text_(text), memory_(memory), ids_(ids) {}

  // Of the next pieces, at most kMost, from `begin` on. encode_new(piece, nth)
  // appends the ids of a piece that is not known. Before the first of them
  // expect_new(piece) is called for those that most likely are not, once for
  // each, so that they can be looked at side by side: `nth` counts these calls,
  // from 0 on, and is kUnexpected for others. is_to_keep(), called behind it,
  // says whether those ids are remembered. Ends with the first error.
  template <typename ExpectNew, typename EncodeNew,
            typename IsToKeep = std::true_type>
  Status Encode(size_t begin, std::span<const size_t> ends,
                ExpectNew&& expect_new, EncodeNew&& encode_new,
                IsToKeep&& is_to_keep = {}) {
    MakeKeys(begin, ends);
    has_last_ = false;
    const auto piece_at = [&](size_t i) {
      const size_t at = i == 0 ? begin : ends[i - 1];
      return text_.substr(at, ends[i] - at);
    };
    // The ids of known pieces, from which those of the others are missing.
    std::array<TokenId, kMost * PieceCache::kMaxIds> known;
    std::array<Missing, kMost> missing;
    size_t misses = 0;
    size_t expected = 0;
    TokenId* out = known.data();
    for (size_t i = CopyKnown(0, ends.size(), out); i < ends.size();
         i = CopyKnown(i + 1, ends.size(), out)) {
      const uint64_t place = PlaceOf(lookups_[i]);
      const std::string_view piece = piece_at(i);
      const bool is_new = place == 0 && !IsHuge(piece) && !CameBefore(i);
      missing[misses++] = {i, place, out, is_new ? expected : kUnexpected};
      if (!is_new) continue;
      expect_new(piece);
      ++expected;
    }
    const TokenId* from = known.data();
    for (const Missing& miss : std::span(missing).first(misses)) {
      ids_.insert(ids_.end(), from, miss.before);
      from = miss.before;
      const std::string_view piece = piece_at(miss.piece);
      const Lookup& lookup = lookups_[miss.piece];
      // Another thread may know an expected one since: to look costs more.
      if (miss.expected == kUnexpected &&
          (CopyElsewhere(piece, lookup, miss.place) ||
           CopySince(piece, lookup))) {
        continue;
      }
      const size_t first = ids_.size();
      PENSTOCK_RETURN_IF_ERROR(encode_new(piece, miss.expected));
      if (!is_to_keep()) continue;
      Remember(piece, lookup, std::span(ids_).subspan(first));
    }
    ids_.insert(ids_.end(), from, static_cast<const TokenId*>(out));
    return OkStatus();
  }

 private:
  struct Lookup {
    PieceCache::Key key;  // of a long piece: its hash and zero
    PieceCache::Hash hash;

    bool is_long() const { return key.tail == 0; }
  };

  // A piece whose ids are not in PieceCache.
  struct Missing {
    size_t piece;           // of the batch
    uint64_t place;         // of LongPieces; 0: it is not known there
    const TokenId* before;  // behind the ids of known pieces before it
    size_t expected;        // as what it was expected, or kUnexpected
  };

  // Whether HugePieces may have it.
  static bool IsHuge(std::string_view piece) {
    return piece.size() > LongPieces::kMaxPieceBytes;
  }
  void MakeKeys(size_t begin, std::span<const size_t> ends);
  // Writes the ids of pieces from `from` on that PieceCache has behind `out`;
  // returns the first that it has not, or `to`.
  size_t CopyKnown(size_t from, size_t to, TokenId*& out) const;
  // Where LongPieces may have the ids of a piece that is not copied; asks for
  // that memory. 0: it was not known.
  uint64_t PlaceOf(const Lookup& lookup) const;
  // Whether the same piece, which is not known, came in this batch and no other
  // that takes its place in last_.
  bool CameBefore(size_t i) {
    // Short texts, whose pieces are mostly known, need it for few batches.
    if (!has_last_) last_.fill(kNone);
    has_last_ = true;
    const PieceCache::Key& key = lookups_[i].key;
    uint16_t& last = last_[PieceCache::HashOf(key) % kLast];
    if (last != kNone && lookups_[last].key == key) return true;
    last = static_cast<uint16_t>(i);
    return false;
  }
  // Whether the piece's ids are at that place; then appends them.
  bool CopyElsewhere(std::string_view piece, const Lookup& lookup,
                     uint64_t place);
  // Whether the piece is known, which it was not at first or is huge; then
  // appends its ids.
  bool CopySince(std::string_view piece, const Lookup& lookup);
  void Remember(std::string_view piece, const Lookup& lookup,
                std::span<const TokenId> ids);

  const std::string_view text_;
  PieceMemory& memory_;
  std::vector<TokenId>& ids_;
  std::array<Lookup, kMost> lookups_;
  // By hash, the last that was not known: of the batch, or kNone.
  static constexpr size_t kLast = 1024;
  static constexpr uint16_t kNone = 0xffff;
  static_assert(kMost <= kNone);
  std::array<uint16_t, kLast> last_;
  bool has_last_ = false;  // last_ is filled, for this batch
};

}  // namespace penstock
