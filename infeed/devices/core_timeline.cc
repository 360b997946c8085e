#include "infeed/devices/core_timeline.h"

#include <algorithm>

namespace penstock {

CoreTimeline::CoreTimeline(int64_t begin_ns, int64_t free_ns,
                           size_t traced_steps)
    : ledger_(begin_ns, Bucket::kInit), traced_steps_(traced_steps) {
  ledger_.Enter(Bucket::kInfeedWait, std::max(begin_ns, free_ns));
}

int64_t CoreTimeline::Feed(int64_t pushed_ns, int64_t ready_ns,
                           uint64_t size_bytes) {
  now_.free_ns = free_ns();
  now_.transfer_ns = ready_ns - std::max(pushed_ns, link_free_ns_);
  now_.transfer_bytes = size_bytes;
  link_free_ns_ = ready_ns;
  ledger_.Enter(Bucket::kTransferWait, std::max(free_ns(), pushed_ns));
  now_.pushed_ns = free_ns();
  ledger_.Enter(Bucket::kPeerWait, std::max(free_ns(), ready_ns));
  now_.ready_ns = free_ns();
  return free_ns();
}

int64_t CoreTimeline::Begin(const StepPlan& plan) {
  ledger_.Enter(Bucket::kCompile, std::max(free_ns(), plan.begin_ns));
  now_.begin_ns = free_ns();
  ledger_.Enter(Bucket::kCompute, free_ns() + plan.compile_ns);
  now_.compute_ns = free_ns();
  return free_ns();
}

void CoreTimeline::End(int64_t end_ns, uint64_t pad_rows, uint64_t rows) {
  ledger_.EndStep(Bucket::kInfeedWait, std::max(free_ns(), end_ns), pad_rows,
                  rows);
  now_.end_ns = now_.sent_ns = now_.saved_ns = free_ns();
  traced_ = spans_.size() < traced_steps_;
  if (traced_) spans_.push_back(now_);
}

void CoreTimeline::Hold(int64_t until_ns, Bucket bucket) {
  ledger_.Enter(bucket, free_ns());
  ledger_.Enter(Bucket::kInfeedWait, std::max(free_ns(), until_ns));
  if (!traced_) return;
  CoreSpan& span = spans_.back();
  if (bucket == Bucket::kOutfeedWait) span.sent_ns = free_ns();
  span.saved_ns = free_ns();
}

void CoreTimeline::Finish(int64_t done_ns) {
  ledger_.Enter(Bucket::kDrain, free_ns());
  ledger_.Enter(Bucket::kDrain, std::max(free_ns(), done_ns));
}

}  // namespace penstock
