// Batches of which it is known how many there are.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "pipeline/batch.h"

namespace penstock::testing {

class BatchCount {
 public:
  // Counts the batch's memory until nobody holds it.
  void Count(Batch& batch) {
    const int64_t now = ++live_;
    for (int64_t most = most_; most < now;) {
      if (most_.compare_exchange_weak(most, now)) break;
    }
    std::byte* const bytes = batch.memory.get();
    batch.memory = std::shared_ptr<std::byte[]>(
        bytes, [this, memory = std::move(batch.memory)](std::byte*) mutable {
          memory.reset();
          --live_;
        });
  }

  int64_t live() const { return live_; }
  int64_t most() const { return most_; }

 private:
  std::atomic<int64_t> live_ = 0;
  std::atomic<int64_t> most_ = 0;
};

}  // namespace penstock::testing
