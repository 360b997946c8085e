// Looks for many pairs side by side.
#pragma once

#include "tokenizer/bpe/pair_ranks.h"
#include "tokenizer/unicode/avx512.h"

#if defined(__x86_64__)

namespace penstock {

// PairRanks::Find for four times eight pairs.
class PairSearch {
 public:
  static constexpr int kParts = 4;

  explicit PairSearch(const PairRanks& ranks) : ranks_(ranks) {}

  PENSTOCK_AVX512_NUMBERS static __m512i KeysOf(__m256i left, __m256i right) {
    return _mm512_or_si512(
        _mm512_slli_epi64(_mm512_cvtepu32_epi64(left), PairRanks::kIdBits),
        _mm512_cvtepu32_epi64(right));
  }

  // The ranks of those of the pairs `keys` that are asked for, all ones for
  // others and for pairs that are not there.
  PENSTOCK_AVX512_NUMBERS void Find(const __m512i (&keys)[kParts],
                                    const __mmask8 (&asked)[kParts],
                                    __m256i (&ranks)[kParts]) const {
    const __m512i free = _mm512_set1_epi64(-1);
    __m512i slots[kParts], found[kParts];
    __mmask8 likely[kParts];
    // All loads of one kind before the next: they come side by side.
    for (int i = 0; i < kParts; ++i) {
      const __m512i hashes = _mm512_mullo_epi64(
          keys[i],
          _mm512_set1_epi64(static_cast<int64_t>(PairRanks::kMultiplier)));
      slots[i] = _mm512_srl_epi64(hashes, _mm_cvtsi32_si128(ranks_.shift()));
      likely[i] = PassFilter(hashes, asked[i]);
    }
    for (int i = 0; i < kParts; ++i) {
      found[i] = _mm512_mask_i64gather_epi64(free, likely[i], slots[i],
                                             ranks_.slots(), 8);
    }
    for (int i = 0; i < kParts; ++i) {
      for (__mmask8 open = likely[i];;) {
        open = _mm512_mask_cmpneq_epi64_mask(
            open, _mm512_srli_epi64(found[i], PairRanks::kRankBits), keys[i]);
        open = _mm512_mask_cmpneq_epi64_mask(open, found[i], free);
        if (open == 0) break;
        slots[i] = _mm512_and_si512(
            _mm512_add_epi64(slots[i], _mm512_set1_epi64(1)),
            _mm512_set1_epi64(static_cast<int64_t>(ranks_.mask())));
        found[i] = _mm512_mask_i64gather_epi64(found[i], open, slots[i],
                                               ranks_.slots(), 8);
      }
      ranks[i] = _mm512_cvtepi64_epi32(_mm512_mask_and_epi64(
          free, _mm512_cmpneq_epi64_mask(found[i], free), found[i],
          _mm512_set1_epi64(PairRanks::kEndOfRanks - 1)));
    }
  }

 private:
  PENSTOCK_AVX512_NUMBERS __mmask8 PassFilter(__m512i hashes,
                                              __mmask8 asked) const {
    const __m512i bits = _mm512_srl_epi64(
        hashes, _mm_cvtsi32_si128(ranks_.shift() - PairRanks::kFilterBits));
    const __m512i words = _mm512_mask_i64gather_epi64(
        _mm512_setzero_si512(), asked, _mm512_srli_epi64(bits, 6),
        ranks_.filter(), 8);
    return _mm512_mask_test_epi64_mask(
        asked,
        _mm512_srlv_epi64(words, _mm512_and_si512(bits, _mm512_set1_epi64(63))),
        _mm512_set1_epi64(1));
  }

  const PairRanks& ranks_;
};

}  // namespace penstock

#endif
