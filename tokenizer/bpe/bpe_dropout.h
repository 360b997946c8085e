// BPE of one piece by a heap, also with merges left out at random.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/bpe/merge_table.h"
#include "tokenizer/interface/sampling.h"
#include "tokenizer/vocabulary/draws.h"

namespace penstock {

struct BpeSymbol {
  TokenId id;
  uint32_t size;  // in bytes of the piece; 0 once merged into the left one
};

struct Dropout {
  double rate;
  Draws& draws;
};

// Merges the pair of lowest rank, again and again, the leftmost of equal ones.
// With `dropout`, which may be null, as Hugging Face tokenizers does: the first
// that is not left out; those left out are looked at again once it has merged.
//
// Cost:    n log n.
// Source:  Provilkov, Emelianenko and Voita, "BPE-Dropout", 2020.
void MergeByHeap(const MergeTable& merges, const Dropout* dropout,
                 std::vector<BpeSymbol>& symbols);

// Of the symbols that are not merged into others.
void AppendIds(std::span<const BpeSymbol> symbols, std::vector<TokenId>& ids);

// `sampling.alpha`, else the file's, else 0.1.
// Errors:  kInvalidArgument unless it is 0 to 1.
StatusOr<double> DropoutRate(const Sampling& sampling,
                             std::optional<double> of_file);

}  // namespace penstock
