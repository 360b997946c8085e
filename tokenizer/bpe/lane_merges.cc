#include "tokenizer/bpe/lane_merges.h"

#include <array>
#include <bit>
#include <numeric>

#include "tokenizer/bpe/pair_search.h"
#include "tokenizer/bpe/short_merge.h"
#include "tokenizer/unicode/avx512.h"

namespace penstock {

#if defined(__x86_64__)

namespace {

constexpr size_t kLanes = 16;
constexpr uint32_t kNothing = 0xffffffff;
constexpr int kPlaceBits = 5;

using Row = std::array<uint32_t, kLanes>;  // a number for each lane

PENSTOCK_AVX512_NUMBERS __m512i Load(const Row& row) {
  return _mm512_load_si512(row.data());
}
PENSTOCK_AVX512_NUMBERS void Store(__m512i numbers, Row& row) {
  _mm512_store_si512(row.data(), numbers);
}

PENSTOCK_AVX512_NUMBERS __m256i Low(__m512i numbers) {
  return _mm512_castsi512_si256(numbers);
}
PENSTOCK_AVX512_NUMBERS __m256i High(__m512i numbers) {
  return _mm512_extracti64x4_epi64(numbers, 1);
}
PENSTOCK_AVX512_NUMBERS __m512i Both(__m256i low, __m256i high) {
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

// The lowest bit that is set, alone, and where the highest is.
PENSTOCK_AVX512_NUMBERS __m512i LowestBit(__m512i bits) {
  return _mm512_and_si512(bits, _mm512_sub_epi32(_mm512_setzero_si512(), bits));
}
PENSTOCK_AVX512_NUMBERS __m512i HighestPlace(__m512i bits) {
  return _mm512_sub_epi32(_mm512_set1_epi32(31), _mm512_lzcnt_epi32(bits));
}

// Ranks of pairs and of their places, the rank above: kNothing stays.
PENSTOCK_AVX512_NUMBERS __m512i WithPlaces(__m512i ranks, __m512i places) {
  const __m512i nothing = _mm512_set1_epi32(-1);
  return _mm512_mask_or_epi32(nothing, _mm512_cmpneq_epi32_mask(ranks, nothing),
                              _mm512_slli_epi32(ranks, kPlaceBits), places);
}

}  // namespace

// Symbols of a piece stand in the rows of their first bytes.
class LaneMerges::Lanes {
 public:
  // Merges the pieces in the order of `queue`; ids go to `out`.
  Lanes(const Derivations& derivations, const BytePairs& pairs,
        std::span<Piece> pieces, std::span<const uint16_t> queue,
        std::span<TokenId> out)
      : derivations_(derivations),
        byte_pairs_(pairs),
        pieces_(pieces),
        queue_(queue),
        out_(out) {
    for (Row& row : pairs_) row.fill(kNothing);
    begins_.fill(0);
  }

  PENSTOCK_AVX512_NUMBERS void Run() {
    const __m512i nothing = _mm512_set1_epi32(-1);
    Changes changes = {nothing, nothing, nothing, nothing, nothing};
    uint32_t busy = 0;  // lanes, a bit for each
    for (size_t lane = 0; lane < kLanes; ++lane) {
      busy |= uint32_t{Fill(lane)} << lane;
    }
    while (std::popcount(busy) > kFew) {
      const __m512i lowest =
          long_ == 0 ? Lowest<kShort>(changes) : Lowest<kMostBytes>(changes);
      const __mmask16 merging = _mm512_cmpneq_epi32_mask(lowest, nothing);
      // Those that are done make room for others, which begin the next time.
      for (uint32_t done = busy & ~uint32_t{merging}; done != 0;
           done &= done - 1) {
        const size_t lane = std::countr_zero(done);
        PutIds(lane);
        if (!Fill(lane)) busy &= ~(1u << lane);
      }
      Merge(lowest, merging, changes);
    }
    for (; busy != 0; busy &= busy - 1) PutRest(std::countr_zero(busy));
  }

 private:
  // A step takes as long as some merges one by one.
  static constexpr int kFew = 4;

  // Most pieces need not look at the rows of long ones.
  static constexpr size_t kShort = 16;

  // Of a merge in each lane: rows, and what becomes of the pairs there.
  struct Changes {
    __m512i left, right, before;
    __m512i left_pairs, before_pairs;
  };

  // Makes the changes; gives the lowest pair of each lane.
  template <size_t kRows>
  PENSTOCK_AVX512_NUMBERS __m512i Lowest(const Changes& changes) {
    const __m512i nothing = _mm512_set1_epi32(-1);
    __m512i lowest = nothing;
    __m512i place = _mm512_setzero_si512();
#pragma GCC unroll 16
    for (size_t i = 0; i < kRows; ++i) {
      __m512i row = Load(pairs_[i]);
      row = _mm512_mask_mov_epi32(row,
                                  _mm512_cmpeq_epi32_mask(place, changes.left),
                                  changes.left_pairs);
      row = _mm512_mask_mov_epi32(
          row, _mm512_cmpeq_epi32_mask(place, changes.before),
          changes.before_pairs);
      row = _mm512_mask_mov_epi32(
          row, _mm512_cmpeq_epi32_mask(place, changes.right), nothing);
      Store(row, pairs_[i]);
      lowest = _mm512_min_epu32(lowest, row);
      place = _mm512_add_epi32(place, _mm512_set1_epi32(1));
    }
    return lowest;
  }

  // Merges the lowest pairs of the lanes `merging`.
  PENSTOCK_AVX512_NUMBERS void Merge(__m512i lowest, __mmask16 merging,
                                     Changes& changes) {
    const __m512i nothing = _mm512_set1_epi32(-1);
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i left = _mm512_mask_and_epi32(
        nothing, merging, lowest, _mm512_set1_epi32((1 << kPlaceBits) - 1));
    const __m512i ranks = _mm512_srli_epi32(lowest, kPlaceBits);
    const TokenId* const of_ranks = derivations_.tokens_of_ranks();
    const __m512i merged =
        of_ranks == nullptr
            ? ranks
            : _mm512_mask_i32gather_epi32(ranks, merging, ranks, of_ranks, 4);
    // Bits of the symbols on both sides.
    const __m512i begins = Load(begins_);
    const __m512i left_bit = _mm512_sllv_epi32(one, left);
    const __m512i below = _mm512_sub_epi32(left_bit, one);
    const __m512i befores = _mm512_and_si512(begins, below);
    const __m512i behind =
        _mm512_andnot_si512(_mm512_or_si512(below, left_bit), begins);
    const __m512i right_bit = LowestBit(behind);
    const __m512i nexts = _mm512_xor_si512(behind, right_bit);
    const __mmask16 has_next =
        _mm512_mask_test_epi32_mask(merging, nexts, nexts);
    const __mmask16 has_before =
        _mm512_mask_test_epi32_mask(merging, befores, befores);
    const __m512i before = HighestPlace(befores);
    Store(_mm512_mask_xor_epi32(begins, merging, begins, right_bit), begins_);
    changes.left = left;
    changes.right =
        _mm512_mask_mov_epi32(nothing, merging, HighestPlace(right_bit));
    changes.before = _mm512_mask_mov_epi32(nothing, has_before, before);
    // Their ids.
    const __m512i next_ids = _mm512_mask_i32gather_epi32(
        nothing, has_next, IndexOf(HighestPlace(LowestBit(nexts))), ids_.data(),
        4);
    const __m512i before_ids = _mm512_mask_i32gather_epi32(
        nothing, has_before, IndexOf(before), ids_.data(), 4);
    _mm512_mask_i32scatter_epi32(ids_.data(), merging, IndexOf(left), merged,
                                 4);
    const auto low = [](__mmask16 lanes) {
      return static_cast<__mmask8>(lanes);
    };
    const auto high = [](__mmask16 lanes) {
      return static_cast<__mmask8>(lanes >> 8);
    };
    __m256i ranks_of[PairSearch::kParts];
    PairSearch(derivations_.ranks())
        .Find(
            {PairSearch::KeysOf(Low(merged), Low(next_ids)),
             PairSearch::KeysOf(High(merged), High(next_ids)),
             PairSearch::KeysOf(Low(before_ids), Low(merged)),
             PairSearch::KeysOf(High(before_ids), High(merged))},
            {low(has_next), high(has_next), low(has_before), high(has_before)},
            ranks_of);
    changes.left_pairs =
        WithPlaces(Both(ranks_of[0], ranks_of[1]), changes.left);
    changes.before_pairs =
        WithPlaces(Both(ranks_of[2], ranks_of[3]), changes.before);
  }

  PENSTOCK_AVX512_NUMBERS static __m512i IndexOf(__m512i rows) {
    return _mm512_add_epi32(_mm512_slli_epi32(rows, std::countr_zero(kLanes)),
                            _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                                              11, 12, 13, 14, 15));
  }

  // Gives the lane, none of whose pairs merges, the next piece; false where
  // there is none.
  bool Fill(size_t lane) {
    if (next_ == queue_.size()) return false;
    piece_[lane] = queue_[next_++];
    const std::string_view bytes = pieces_[piece_[lane]].bytes;
    for (size_t i = 0; i < bytes.size(); ++i) {
      ids_[i * kLanes + lane] = byte_pairs_.IdOf(bytes[i]);
    }
    for (size_t i = 0; i + 1 < bytes.size(); ++i) {
      const uint32_t rank = byte_pairs_.RankOf(bytes[i], bytes[i + 1]);
      if (rank == Merge::kNever) continue;
      pairs_[i][lane] = rank << kPlaceBits | static_cast<uint32_t>(i);
    }
    begins_[lane] = ~uint32_t{0} >> (32 - bytes.size());
    long_ |= uint32_t{bytes.size() > kShort} << lane;
    return true;
  }

  void PutIds(size_t lane) {
    Piece& piece = pieces_[piece_[lane]];
    piece.first = static_cast<uint32_t>(next_id_);
    for (uint32_t rest = begins_[lane]; rest != 0; rest &= rest - 1) {
      out_[next_id_++] = ids_[std::countr_zero(rest) * kLanes + lane];
    }
    piece.count = static_cast<uint32_t>(next_id_ - piece.first);
    long_ &= ~(1u << lane);
  }

  // The same of a piece that is not done.
  void PutRest(size_t lane) {
    PutIds(lane);
    Piece& piece = pieces_[piece_[lane]];
    piece.count = static_cast<uint32_t>(
        MergeShort(derivations_, out_.subspan(piece.first, piece.count)));
  }

  const Derivations& derivations_;
  const BytePairs& byte_pairs_;
  const std::span<Piece> pieces_;
  const std::span<const uint16_t> queue_;
  const std::span<TokenId> out_;
  size_t next_ = 0;     // of queue_
  size_t next_id_ = 0;  // of out_
  uint32_t long_ = 0;   // lanes, a bit for each
  std::array<uint16_t, kLanes> piece_;
  alignas(64) std::array<Row, kMostBytes> pairs_;
  alignas(64) std::array<TokenId, kMostBytes * kLanes> ids_;
  alignas(64) Row begins_;  // bits of symbols
};

bool LaneMerges::IsThere() {
  static const bool is_there = avx512::HasNumbers();
  return is_there;
}

void LaneMerges::Run(const Derivations& derivations, const BytePairs& pairs) {
  if (ids_.size() < bytes_) ids_.resize(bytes_);
  // The longest first: those that come last are soon done.
  std::array<uint16_t, kMostBytes + 1> places = {};
  for (const Piece& piece : pieces_) ++places[kMostBytes - piece.bytes.size()];
  std::exclusive_scan(places.begin(), places.end(), places.begin(),
                      uint16_t{0});
  queue_.resize(pieces_.size());
  for (size_t i = 0; i < pieces_.size(); ++i) {
    queue_[places[kMostBytes - pieces_[i].bytes.size()]++] =
        static_cast<uint16_t>(i);
  }
  Lanes(derivations, pairs, pieces_, queue_, ids_).Run();
}

#else

bool LaneMerges::IsThere() { return false; }
void LaneMerges::Run(const Derivations&, const BytePairs&) {}

#endif

}  // namespace penstock
