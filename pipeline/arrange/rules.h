// By what rules rows become batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "pipeline/arrange/balance.h"
#include "pipeline/arrange/rows.h"
#include "pipeline/dataset.h"

namespace penstock {

class RecordShares;  // pipeline/order/record_shares.h
struct ArrangeOptions;

// How rows of several records are made, each of the one length there is.
struct PackRule {
  PackKind kind = PackKind::kBestFit;
  uint64_t max_segments = 1;  // records in a row, at most
  // See PackOptions; no less than ArrangeOptions::rows.
  uint64_t window_rows = 1;
  // What a record that waits costs, as decoded: without values, and of each.
  uint64_t record_bytes = 0;
  uint64_t value_bytes = 0;

  uint64_t BytesOf(uint64_t values) const {
    return record_bytes + values * value_bytes;
  }
  // Of records that fill `rows`, at most.
  uint64_t MostHeldBytes(uint64_t rows, const ArrangeOptions& options) const;
};

// Rows that are of one host each.
struct ShareRule {
  std::shared_ptr<const RecordShares> shares;
  // [hosts][queues, or one for all]: its rows of a batch, one at least, rising.
  std::vector<std::vector<std::vector<uint32_t>>> rows;
  RowIds row_ids = {};
  uint64_t MostRowsOf(size_t host) const;  // in a batch of any queue
};

struct ArrangeOptions {
  uint64_t rows = 1;  // of a global batch, at most
  // Rising. A row fits a length that is no less than its own.
  std::vector<int64_t> lengths = {0};
  // [lengths], where they are measures of cells: the values of a row, padding
  // included, and those of it that are none on average. Empty: the lengths say.
  std::vector<int64_t> cell_values = {};
  std::vector<double> mean_values = {};
  // [lengths], of Bucket: the rows of a batch of each. Empty: `rows`.
  std::vector<uint64_t> length_rows = {};
  // [lengths], of Bucket: what comes of rows that are left of each. Empty: the
  // same of all.
  std::vector<Leftover> leftovers = {};
  bool merge_leftovers = false;  // see BucketOptions
  TooLong too_long = TooLong::kError;
  bool one_queue = false;  // Pad; otherwise each length has a queue
  std::optional<PackRule> pack = std::nullopt;  // then `lengths` is one
  std::optional<BalanceRule> balance = std::nullopt;
  std::optional<ShareRule> shares = std::nullopt;  // then no balance
  // Bytes of one row in each length, as decoded: what a row that waits costs.
  std::vector<uint64_t> row_bytes = {0};
  // Bytes of rows that wait, at most. Past it the queue that holds most of them
  // becomes a batch with padding; of packed rows the fullest do.
  uint64_t held_bytes = std::numeric_limits<uint64_t>::max();

  // Of a row of a queue, padding included.
  int64_t ValuesOf(size_t queue) const {
    return cell_values.empty() ? lengths[queue] : cell_values[queue];
  }
  // Of a batch of the rows of a queue.
  uint64_t RowsOf(size_t queue) const {
    return length_rows.empty() ? rows : length_rows[queue];
  }
};

}  // namespace penstock
