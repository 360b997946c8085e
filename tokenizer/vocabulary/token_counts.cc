#include "tokenizer/vocabulary/token_counts.h"

#include <algorithm>

namespace penstock {

void TokenCounts::Add(std::span<const TokenId> ids) {
  for (const TokenId id : ids) {
    if (id >= counts_.size()) counts_.resize(size_t{id} + 1);
    ++counts_[id];
  }
}

void TokenCounts::Add(const TokenCounts& other) {
  counts_.resize(std::max(counts_.size(), other.counts_.size()));
  for (size_t id = 0; id < other.counts_.size(); ++id) {
    counts_[id] += other.counts_[id];
  }
}

std::vector<TokenCounts::Row> TokenCounts::MostFrequentFirst() const {
  std::vector<Row> rows;
  for (size_t id = 0; id < counts_.size(); ++id) {
    if (counts_[id] > 0)
      rows.push_back({static_cast<TokenId>(id), counts_[id]});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.count > b.count;
  });
  return rows;
}

}  // namespace penstock
