// Which merge of a part of text comes first.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace penstock {

// The merges of all symbols with those behind them, ordered by rank, then by
// place: a tree whose nodes have the smaller of their two children.
//
// Threads: one at a time.
class MergeOrder {
 public:
  static constexpr uint64_t kNothing = ~uint64_t{0};

  // None, of so many symbols.
  void Reset(size_t symbols) {
    leaves_ = std::bit_ceil(symbols);
    nodes_.assign(2 * leaves_, kNothing);
  }
  // Of one symbol, before Order().
  void Put(uint32_t symbol, uint64_t order) {
    nodes_[leaves_ + symbol] = order;
  }
  void Order() {
    for (size_t i = leaves_ - 1; i > 0; --i) nodes_[i] = FirstBelow(i);
  }
  void Change(uint32_t symbol, uint64_t order) {
    size_t i = leaves_ + symbol;
    nodes_[i] = order;
    while ((i /= 2) > 0) nodes_[i] = FirstBelow(i);
  }

  bool empty() const { return nodes_[1] == kNothing; }
  // The left symbol of the first merge.
  uint32_t first() const { return static_cast<uint32_t>(nodes_[1]); }

 private:
  uint64_t FirstBelow(size_t i) const {
    return std::min(nodes_[2 * i], nodes_[2 * i + 1]);
  }

  size_t leaves_ = 0;
  std::vector<uint64_t> nodes_;  // the root at 1
};

}  // namespace penstock
