// One device's time: pure arithmetic on the times at which things were ready.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "infeed/accounts/ledger.h"
#include "infeed/accounts/step_times.h"
#include "infeed/devices/coordinator.h"

namespace penstock {

// A device begins a step at the very instant the last of these is true: it is
// free, its batch is on board, all others are ready. So a thread that plays a
// device and wakes late delays nothing, steps do not drift, and each wait is
// charged to the bucket of what was late, to the nanosecond.
class CoreTimeline {
 public:
  // The device exists from `begin_ns` and asks for data from `free_ns`. Its
  // first `traced_steps` are written down.
  CoreTimeline(int64_t begin_ns, int64_t free_ns, size_t traced_steps = 0);

  // The next batch, of so many bytes, was handed over and was on board at these
  // times. Gives the time from which this device is ready for the step.
  int64_t Feed(int64_t pushed_ns, int64_t ready_ns, uint64_t size_bytes = 0);
  // All devices begin. Gives the time at which the step itself begins.
  int64_t Begin(const StepPlan& plan);
  // The step ends at `end_ns`; of its rows so many pad.
  void End(int64_t end_ns, uint64_t pad_rows, uint64_t rows);
  // Nothing more is begun before `until_ns`, behind a step: what it sends back
  // has no place (kOutfeedWait), or then a checkpoint is in the way.
  void Hold(int64_t until_ns, Bucket bucket = Bucket::kCheckpoint);
  // No more steps; all devices are done at `done_ns`.
  void Finish(int64_t done_ns);

  // When the device is, was or will be free of what it was last given.
  int64_t free_ns() const { return ledger_.mark_ns(); }
  const Ledger& ledger() const { return ledger_; }
  const std::vector<CoreSpan>& spans() const { return spans_; }

 private:
  Ledger ledger_;
  size_t traced_steps_;
  CoreSpan now_;              // of the step that is on
  bool traced_ = false;       // the last step is one of spans_
  int64_t link_free_ns_ = 0;  // the batch before was on board
  std::vector<CoreSpan> spans_;
};

}  // namespace penstock
