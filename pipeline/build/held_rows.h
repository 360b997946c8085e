// Decoded rows of this host that wait for the arranger to put them in a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "formats/example/examples.h"
#include "pipeline/batch.h"

namespace penstock {

struct HeldRow {
  std::shared_ptr<const Examples> examples;  // null for a row that pads
  size_t row = 0;
  uint64_t record_id = kNoRecord;
};

// Follows the arranger's queues, first in, first out, for the shards of one
// host.
//
// Threads: one at a time.
class HeldRows {
 public:
  HeldRows(size_t queues, size_t shards);

  void Add(size_t queue, size_t shard, HeldRow row);
  // Moves the first `count` rows to out[0, count).
  void Take(size_t queue, size_t shard, size_t count, HeldRow* out);

  // Copies the rows of `examples` that still wait, so that one row of a rare
  // length does not keep a whole round in memory.
  void Detach(const Examples* examples);

  void Clear();

 private:
  const size_t queues_;
  const size_t shards_;
  std::vector<std::deque<HeldRow>> rows_;  // [queues, shards]
};

}  // namespace penstock
