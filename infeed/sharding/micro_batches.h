// One batch taken in several parts, whose gradients are added up before a step.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/sharding/core_slice.h"

namespace penstock {

enum class MicroBatchLayout {
  // Part k is the k-th block of each shard's rows; with one shard a host, of
  // each host's.
  kBlocked,
  // Part k is the rows r with r mod count == k.
  kStrided,
  // Part k is the k-th block of the global batch. Only where one shard has all.
  kContiguous,
};

// Which rows make which part. Both layouts take every part from rows that a
// device has already; they are different batches to a model, so a run records
// which one it uses.
struct MicroBatches {
  int64_t count = 1;
  MicroBatchLayout layout = MicroBatchLayout::kBlocked;
  int64_t rows = 0;  // of a global batch
  uint32_t shards = 1;

  int64_t rows_of_part() const { return rows / count; }
  // Rows of the global batch that make part `k`, rising.
  std::vector<int64_t> RowsOf(int64_t k) const;
  // What part `k` takes of a tensor of a device's slice: a view, no copy.
  TensorView ViewOf(const TensorView& tensor, int64_t k) const;
};

// Errors:  kInvalidArgument for a count below 1, rows that do not divide by
//          shards and count, and for kContiguous on several shards, with who
//          would have nothing to do.
StatusOr<MicroBatches> PlanMicroBatches(int64_t rows, uint32_t shards,
                                        int64_t count, MicroBatchLayout layout);

// "blocked", "strided", "contiguous".
std::string_view MicroBatchLayoutName(MicroBatchLayout layout);

// `rows`, a view of [batch, length], as [batch, 1, 1, length] or with any sizes
// between: an attention mask whose values are never copied (stride 0).
TensorView BroadcastBetween(const TensorView& rows,
                            const std::vector<int64_t>& between);

}  // namespace penstock
