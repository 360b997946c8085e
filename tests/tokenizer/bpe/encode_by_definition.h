// Byte-pair encoding as it is defined.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "tokenizer/bpe/merge_table.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock::testing {

// Without any of the data structures. A byte is its id.
inline std::vector<TokenId> EncodeByDefinition(const MergeTable& merges,
                                               std::string_view piece) {
  std::vector<TokenId> ids;
  for (const unsigned char byte : piece) ids.push_back(byte);
  while (true) {
    Merge best;
    size_t at = 0;
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      const Merge merge = merges.Find(ids[i], ids[i + 1]);
      if (merge.rank < best.rank) {
        best = merge;
        at = i;
      }
    }
    if (best.rank == Merge::kNever) return ids;
    ids[at] = best.merged;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

}  // namespace penstock::testing
