// Merges short pieces in place.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/bpe/byte_pairs.h"
#include "tokenizer/bpe/derivations.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// What MergeShort takes at most.
inline constexpr size_t kMostMergedBytes = 16;
inline constexpr size_t kMostMergedIds = 64;

// Appends what becomes of `piece`, of 1 to kMostMergedBytes bytes, by merging
// the pair of lowest rank again and again, the leftmost where ranks are equal.
// `bytes` are of the same vocabulary.
//
// Cost:    quadratic, with few instructions a byte: most pieces are short.
void MergeShort(const Derivations& derivations, const BytePairs& bytes,
                std::string_view piece, std::vector<TokenId>& ids);

// The same for up to kMostMergedIds ids that stand behind each other, in
// place; returns how many are left.
size_t MergeShort(const Derivations& derivations, std::span<TokenId> ids);

}  // namespace penstock
