// Which record stands at which position of an epoch. Touches no data.
#pragma once

#include <cstdint>
#include <span>

namespace penstock {

struct OrderOptions {
  bool shuffle = false;
  uint64_t seed = 0;
  // 0 shuffles all records, otherwise each window of this many.
  uint64_t window_records = 0;
  // Makes equal seeds on other data give other orders.
  uint64_t dataset_fingerprint = 0;
};

// Record ids of positions in one epoch after the other.
//
// Shapes:  `records` positions in an epoch, each record once.
// Threads: any number at a time.
// Cost:    O(1) memory; one Permutation call for each position.
class Order {
 public:
  Order(uint64_t records, OrderOptions options);

  uint64_t records() const { return records_; }

  // ids[i] is the record at position `first` + i; all must be in the epoch.
  void Fill(uint64_t epoch, uint64_t first, std::span<uint64_t> ids) const;
  uint64_t RecordAt(uint64_t epoch, uint64_t position) const;

 private:
  uint64_t records_;
  OrderOptions options_;
};

// The order inside window `window` of `size` records, for readers that learn
// only at the end of the data how long the last window is.
// ids[i] is the record at position `first` + i of the window, counted from the
// window's first record.
void FillWindow(const OrderOptions& options, uint64_t epoch, uint64_t window,
                uint64_t size, uint64_t first, std::span<uint64_t> ids);

}  // namespace penstock
