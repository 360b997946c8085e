#include "infeed/virtual/virtual_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/files/status_or.h"
#include "infeed/devices/core_timeline.h"
#include "infeed/virtual/check_virtual.h"
#include "infeed/virtual/delay_law.h"
#include "infeed/virtual/failures.h"

namespace penstock {
namespace {

struct HostClock {
  uint32_t parts = 1;            // of a batch
  bool waited = true;            // for a place before it built the current one
  int64_t done_ns = 0;           // when its current batch was built
  int64_t pushed_ns = 0;         // when that was in all queues
  std::vector<int64_t> left_ns;  // when the last `built_ahead` were
  int64_t drained_ns = 0;        // what its cores sent last was taken
};

struct CoreClock {
  uint32_t host;
  CoreTimeline timeline;
  int64_t link_free_ns = 0;
  int64_t free_ns = 0;            // of the step before
  std::vector<int64_t> taken_ns;  // when what it sent the last times was
  int64_t ready_ns = 0;           // its batch is there
  int64_t built_ns = 0;           // until then it is late as that was not built
};

DrawKey KeyOf(const VirtualOptions& options, VirtualStage stage, uint64_t who,
              uint64_t step) {
  return {.seed = options.seed,
          .stage = static_cast<uint64_t>(stage),
          .who = who,
          .step = step};
}

class VirtualRun {
 public:
  VirtualRun(std::span<const VirtualStep> steps, uint64_t count,
             const VirtualOptions& options)
      : steps_(steps), options_(options), hosts_(options.hosts) {
    for (const uint32_t host : options.host_of_core) {
      cores_.push_back({.host = host,
                        .timeline = CoreTimeline(0, 0),
                        .taken_ns = std::vector<int64_t>(
                            std::max<size_t>(options.outfeed.depth, 1))});
    }
    for (uint32_t h = 0; h < options.hosts; ++h) {
      hosts_[h].left_ns.assign(std::max<size_t>(options.built_ahead, 1), 0);
      if (!options.parts_of_host.empty()) {
        hosts_[h].parts = options.parts_of_host[h];
      }
    }
    begins_ns_.assign(std::max<size_t>(options.depth, 1), 0);
    spans_.reserve(count);
    report_ = {.hosts = options.hosts,
               .depth = options.depth,
               .seed = options.seed,
               .build_stage = options.build_stage,
               .blame_ns = std::vector<std::vector<int64_t>>(
                   options.hosts, std::vector<int64_t>(kVirtualStages))};
    for (uint64_t n = 0; n < count && !options.stop.stop_requested(); ++n) {
      Step(n);
    }
  }

  StatusOr<VirtualReport> Report() {
    if (options_.stop.stop_requested()) {
      return CancelledError(
          fmt::format("stopped after {} steps in virtual time", spans_.size()));
    }
    for (CoreClock& core : cores_) {
      core.timeline.Finish(all_free_ns_);
      report_.cores.push_back(
          {.core = static_cast<uint32_t>(report_.cores.size()),
           .host = core.host,
           .ledger = core.timeline.ledger()});
    }
    report_.wall_ns = all_free_ns_;
    report_.times = Summarize(spans_);
    if (options_.failures.host_mean_ns > 0 && all_free_ns_ > 0) {
      // A step is done when the next can begin: all has been sent back.
      for (size_t n = 0; n + 1 < spans_.size(); ++n) {
        spans_[n].end_ns = spans_[n + 1].free_ns;
      }
      spans_.back().end_ns = all_free_ns_;
      PENSTOCK_ASSIGN_OR_RETURN(
          report_.failures, RunWithFailures(spans_, options_.hosts,
                                            options_.seed, options_.failures));
    }
    return std::move(report_);
  }

 private:
  void Step(uint64_t n) {
    const VirtualStep& step = steps_[n % steps_.size()];
    for (uint32_t h = 0; h < hosts_.size(); ++h) Build(h, step, n);
    for (uint32_t h = 0; h < hosts_.size(); ++h) Push(h, n);
    size_t last = 0;
    int64_t begin_ns = 0;
    for (size_t c = 0; c < cores_.size(); ++c) {
      CoreClock& core = cores_[c];
      Bring(core, c, step, n);
      const int64_t arrives_ns = std::max(core.ready_ns, core.free_ns);
      if (arrives_ns <= begin_ns && c > 0) continue;
      begin_ns = arrives_ns;
      last = c;
    }
    if (begin_ns > all_free_ns_) Blame(cores_[last], begin_ns);
    const int64_t free_ns = all_free_ns_;
    const int64_t outfeed_ns = outfeed_ns_;
    Take(step, n, begin_ns);
    const int64_t end_ns = all_free_ns_;
    const uint64_t every = options_.outfeed.every;
    if (every > 0 && (n + 1) % every == 0) SendBack((n + 1) / every - 1);
    outfeed_ns_ = all_free_ns_ - end_ns;
    begins_ns_[n % begins_ns_.size()] = begin_ns;
    if (options_.depth == 0) {
      for (HostClock& host : hosts_) {
        host.pushed_ns = host.left_ns[n % host.left_ns.size()] = begin_ns;
      }
    }
    if (n == 0) report_.first_step_ns = begin_ns + step.compile_ns;
    spans_.push_back({.outfeed_ns = outfeed_ns,
                      .free_ns = free_ns,
                      .begin_ns = begin_ns,
                      .compile_ns = step.compile_ns,
                      .end_ns = end_ns});
  }

  // All have waited for this core.
  void Blame(const CoreClock& late, int64_t begin_ns) {
    const int64_t built_ns = std::clamp(late.built_ns, all_free_ns_, begin_ns);
    report_
        .blame_ns[BuilderOf(late)][static_cast<size_t>(VirtualStage::kBuild)] +=
        built_ns - all_free_ns_;
    report_.blame_ns[late.host][static_cast<size_t>(VirtualStage::kTransfer)] +=
        begin_ns - built_ns;
  }

  // The host for whose part of the batch this core waited.
  uint32_t BuilderOf(const CoreClock& core) const {
    return options_.hosts_meet ? last_done_ : core.host;
  }

  // The next batch is not begun once so many that are done wait.
  void Build(uint32_t h, const VirtualStep& step, uint64_t n) {
    HostClock& host = hosts_[h];
    const int64_t left_ns = host.left_ns[n % host.left_ns.size()];
    host.waited = n == 0 || left_ns > host.done_ns;
    host.done_ns =
        std::max(host.done_ns, left_ns) +
        std::max(step.least_build_ns,
                 step.dealt_ns + step.build_ns * host.parts) +
        step.hand_over_ns * host.parts +
        DrawNs(options_.build, KeyOf(options_, VirtualStage::kBuild, h, n));
    if (h == 0 || host.done_ns > hosts_[last_done_].done_ns) last_done_ = h;
  }

  // A batch that finds its queue full waits.
  void Push(uint32_t h, uint64_t n) {
    HostClock& host = hosts_[h];
    const HostClock& done = options_.hosts_meet ? hosts_[last_done_] : host;
    const bool waits = options_.depth > 0 && n >= options_.depth;
    host.pushed_ns =
        std::max({done.done_ns, host.pushed_ns,
                  waits ? begins_ns_[n % options_.depth] : int64_t{0}});
    host.left_ns[n % host.left_ns.size()] = host.pushed_ns;
  }

  void Bring(CoreClock& core, size_t c, const VirtualStep& step, uint64_t n) {
    const int64_t pushed_ns = hosts_[core.host].pushed_ns;
    const bool link_waits = core.link_free_ns <= pushed_ns;
    const int64_t transfer_ns =
        step.transfer_ns +
        DrawNs(options_.transfer_extra,
               KeyOf(options_, VirtualStage::kTransfer, c, n));
    core.link_free_ns = std::max(core.link_free_ns, pushed_ns) + transfer_ns;
    core.ready_ns = core.link_free_ns;
    // A link that always has something to do is what is slow, and so is a host
    // that always builds. Where both wait for each other each has its part.
    const HostClock& builder = hosts_[BuilderOf(core)];
    const bool host_waits = builder.waited || pushed_ns > builder.done_ns;
    core.built_ns = link_waits ? (host_waits ? pushed_ns : core.ready_ns) : 0;
    core.timeline.Feed(pushed_ns, core.ready_ns);
  }

  void Take(const VirtualStep& step, uint64_t n, int64_t begin_ns) {
    const int64_t computes_ns = begin_ns + step.compile_ns;
    for (size_t c = 0; c < cores_.size(); ++c) {
      CoreClock& core = cores_[c];
      core.free_ns = computes_ns + step.step_ns +
                     DrawNs(options_.step_extra,
                            KeyOf(options_, VirtualStage::kDevice, c, n));
      core.timeline.Begin(
          {.begin_ns = begin_ns, .compile_ns = step.compile_ns});
      core.timeline.End(core.free_ns, step.pad_rows, step.rows);
      all_free_ns_ = std::max(all_free_ns_, core.free_ns);
    }
  }

  // Every core sends something for the n-th time, once there is a place for it
  // in its queue. Hosts take it in the order in which it came.
  void SendBack(uint64_t n) {
    const int64_t end_ns = all_free_ns_;
    std::vector<size_t> order(cores_.size());
    for (size_t c = 0; c < cores_.size(); ++c) {
      CoreClock& core = cores_[c];
      core.free_ns =
          std::max(core.free_ns, core.taken_ns[n % core.taken_ns.size()]);
      core.timeline.Hold(core.free_ns, Bucket::kOutfeedWait);
      order[c] = c;
    }
    std::ranges::stable_sort(order, {},
                             [&](size_t c) { return cores_[c].free_ns; });
    for (const size_t c : order) {
      CoreClock& core = cores_[c];
      HostClock& host = hosts_[core.host];
      host.drained_ns =
          std::max(host.drained_ns, core.free_ns) + options_.outfeed.drain_ns;
      core.taken_ns[n % core.taken_ns.size()] = host.drained_ns;
    }
    const CoreClock& last = cores_[order.back()];
    all_free_ns_ = std::max(end_ns, last.free_ns);
    report_.blame_ns[last.host][static_cast<size_t>(VirtualStage::kOutfeed)] +=
        all_free_ns_ - end_ns;
  }

  const std::span<const VirtualStep> steps_;
  const VirtualOptions& options_;
  std::vector<HostClock> hosts_;
  std::vector<CoreClock> cores_;
  std::vector<int64_t> begins_ns_;  // of the last `depth` steps
  std::vector<StepSpan> spans_;
  uint32_t last_done_ = 0;   // the host that built the last batch last
  int64_t all_free_ns_ = 0;  // all cores are done with the step before
  int64_t outfeed_ns_ = 0;   // of that, for places to send back to
  VirtualReport report_;
};

}  // namespace

StatusOr<VirtualReport> RunVirtual(std::span<const VirtualStep> steps,
                                   uint64_t count,
                                   const VirtualOptions& options) {
  PENSTOCK_RETURN_IF_ERROR(CheckVirtual(steps, count, options));
  return VirtualRun(steps, count, options).Report();
}

}  // namespace penstock
