// Where the time of a pipeline's stages is written down as it passes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "pipeline/build/batch_ring.h"
#include "pipeline/profile.h"
#include "pipeline/tasks/steady_ns.h"

namespace penstock {

// Each thread writes to a cache line of its own, so that none waits for what
// others have just written.
//
// Threads: any number at a time, here and below.
class StageAccount {
 public:
  void Charge(int64_t ns) {
    Mine().busy_ns.fetch_add(ns, std::memory_order_relaxed);
  }
  void Count(uint64_t more_rows, uint64_t more_bytes) {
    Line& mine = Mine();
    mine.rows.fetch_add(more_rows, std::memory_order_relaxed);
    mine.bytes.fetch_add(more_bytes, std::memory_order_relaxed);
  }

  struct Sums {
    int64_t busy_ns = 0;
    uint64_t rows = 0;
    uint64_t bytes = 0;
  };
  Sums sums() const;

 private:
  // Relaxed: each is a sum that nothing else depends on.
  struct alignas(64) Line {
    std::atomic<int64_t> busy_ns = 0;
    std::atomic<uint64_t> rows = 0;
    std::atomic<uint64_t> bytes = 0;
  };
  // Of more threads, some share one.
  static constexpr size_t kLines = 16;

  Line& Mine() { return lines_[ThreadNumber() % kLines]; }
  static size_t ThreadNumber();

  std::array<Line, kLines> lines_;
};

struct StageAccounts {
  StageAccount plan;    // order and arrange, on the thread that drives
  StageAccount read;    // on that thread where records come in sequence
  StageAccount decode;  // parse, and functions over rows
  StageAccount tokenize;
  StageAccount exchange;  // on that thread
  StageAccount build;     // place
  StageAccount starved;   // Next()
  StageAccount blocked;
  std::atomic<int64_t> begin_ns = 0;  // of the first Next(); 0 before it

  // `sequence`: one thread reads.
  PipelineProfile Profile(int threads, bool sequence) const;
};

// Charges its life to a stage.
// Cost:    two looks at the clock, some 50 ns: for chunks of rows, not for one.
class StageTimer {
 public:
  explicit StageTimer(StageAccount& account)
      : account_(account), begin_ns_(SteadyNs()) {}
  ~StageTimer() { account_.Charge(SteadyNs() - begin_ns_); }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  StageAccount& account_;
  const int64_t begin_ns_;
};

uint64_t BytesOf(std::span<const std::string_view> records);

// BatchRing::AwaitRoom, charged to `blocked`.
bool AwaitRoom(BatchRing& ring, uint64_t bytes, StageAccounts& accounts);

}  // namespace penstock
