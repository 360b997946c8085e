#include "infeed/virtual/host_costs.h"

#include <algorithm>

namespace penstock {
namespace {

double BytesOf(const StageCost& stage, const HostShare& share) {
  if (!share.streamed || stage.name == "build") return share.fed_bytes;
  return stage.name == "read" ? share.read_bytes : share.dealt_bytes;
}

// The longest stage so far of some.
struct Longest {
  double ns = 0;
  std::string name = {};

  void Take(double more_ns, const std::string& more) {
    if (more_ns <= ns) return;
    ns = more_ns;
    name = more;
  }
};

}  // namespace

HostTimes TimesOf(const Calibration& costs, const HostShare& share) {
  const double plan_ns = costs.plan_ns_per_row * share.rows;
  HostTimes times;
  double slowest_ns = 0;  // of the stages of one thread
  double sum_ns = plan_ns;
  Longest alone;
  Longest shared;
  alone.Take(plan_ns, "plan");
  for (const StageCost& stage : costs.stages) {
    const double ns = stage.ns_per_byte * BytesOf(stage, share);
    if (stage.one_thread) {
      slowest_ns = std::max(slowest_ns, ns);
      sum_ns += ns;
      alone.Take(ns, stage.name);
    } else {
      const bool fed = !share.streamed || stage.name == "build";
      (fed ? times.fed_ns : times.dealt_ns) += ns / costs.parallel;
      shared.Take(ns, stage.name);
    }
  }
  // As PipelineProfile::BoundBy() has it.
  const double shared_ns = (times.dealt_ns + times.fed_ns) * costs.parallel;
  times.longest =
      alone.ns > shared_ns / costs.threads ? alone.name : shared.name;
  if (share.streamed) {
    times.alone_ns = sum_ns;
  } else {
    // Planned, the plan is that of all hosts, the rest of the part's.
    times.alone_ns = plan_ns;
    times.fed_ns = std::max(slowest_ns, times.fed_ns);
  }
  times.hand_over_ns = costs.hand_over_ns_per_byte * share.fed_bytes;
  if (times.hand_over_ns > times.built_ns()) times.longest = "hand-over";
  return times;
}

}  // namespace penstock
