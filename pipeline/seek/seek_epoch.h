// The records of one epoch in their order, looked at from the first on by all
// threads until a step is found.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/files/function_ref.h"
#include "formats/files/status_or.h"
#include "pipeline/arrange/plan_facts.h"
#include "pipeline/seek/seek_options.h"
#include "pipeline/tasks/task_queue.h"

namespace penstock {

// A step that is looked for: `done` of the epoch's `of` steps come before it.
// An estimate will do.
struct SoughtStep {
  uint64_t done = 0;
  uint64_t of = 0;
};

// Threads: any number at a time.
class SeekEpoch {
 public:
  static constexpr uint64_t kPartRecords = 65536;

  // `facts` outlive it.
  SeekEpoch(const PlanFacts& facts, uint64_t epoch)
      : facts_(facts), epoch_(epoch) {}

  uint64_t records() const { return facts_.order->records(); }
  uint64_t parts() const {
    return (records() + kPartRecords - 1) / kPartRecords;
  }
  // The position that a part begins at; of the one behind the last the end.
  uint64_t BeginOf(uint64_t part) const {
    return std::min(part * kPartRecords, records());
  }

  // Calls take(record, length) for each record of the part, in order.
  template <typename Take>
  void ForEach(uint64_t part, Take take) const {
    // They stay in a near cache; a mix has enough of each of its sources.
    constexpr uint64_t kAtOnce = 8192;
    std::vector<uint64_t> ids(kAtOnce);
    std::vector<uint32_t> lengths(kAtOnce);
    const uint64_t end = BeginOf(part + 1);
    for (uint64_t at = BeginOf(part); at < end; at += kAtOnce) {
      ids.resize(std::min(kAtOnce, end - at));
      lengths.resize(ids.size());
      facts_.order->Fill(epoch_, at, ids);
      facts_.lengths.Look(ids, lengths);
      for (size_t i = 0; i < ids.size(); ++i) take(ids[i], lengths[i]);
    }
  }

  // Calls look(part) once for each of the first parts, in any order and on
  // several threads, until found(n) says that the first n, which were looked
  // at, have the step; n rises. No more than are likely to be needed are looked
  // at. Where found() never is true, all are.
  // Errors:  kCancelled.
  Status LookUntil(const SoughtStep& sought, FunctionRef<void(uint64_t)> look,
                   FunctionRef<bool(uint64_t)> found, TaskQueue& tasks,
                   const SeekOptions& options) const;

 private:
  const PlanFacts& facts_;
  const uint64_t epoch_;
};

}  // namespace penstock
