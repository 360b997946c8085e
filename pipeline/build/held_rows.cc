#include "pipeline/build/held_rows.h"

#include <cassert>
#include <utility>

#include "pipeline/build/decode.h"

namespace penstock {

HeldRows::HeldRows(size_t queues, size_t shards)
    : queues_(queues), shards_(shards), rows_(queues * shards) {}

void HeldRows::Add(size_t queue, size_t shard, HeldRow row) {
  rows_[queue * shards_ + shard].push_back(std::move(row));
}

void HeldRows::Take(size_t queue, size_t shard, size_t count, HeldRow* out) {
  std::deque<HeldRow>& rows = rows_[queue * shards_ + shard];
  assert(rows.size() >= count);
  for (size_t i = 0; i < count; ++i) out[i] = std::move(rows[i]);
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count));
}

void HeldRows::Detach(const Examples* examples) {
  for (size_t queue = 0; queue < queues_; ++queue) {
    // The rows of a queue leave at about the same time, so they share a copy.
    const auto copy = std::make_shared<Examples>();
    for (size_t shard = 0; shard < shards_; ++shard) {
      auto& rows = rows_[queue * shards_ + shard];
      for (auto row = rows.rbegin();
           row != rows.rend() && row->examples.get() == examples; ++row) {
        AppendRow(*row->examples, row->row, *copy);
        row->examples = copy;
        row->row = copy->rows - 1;
      }
    }
  }
}

void HeldRows::Clear() {
  for (auto& rows : rows_) rows.clear();
}

}  // namespace penstock
