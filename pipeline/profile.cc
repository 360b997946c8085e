#include "pipeline/profile.h"

#include <fmt/format.h>

#include <algorithm>

namespace penstock {
namespace {

double Share(int64_t part_ns, int64_t whole_ns) {
  return whole_ns <= 0
             ? 0.0
             : static_cast<double>(part_ns) / static_cast<double>(whole_ns);
}

}  // namespace

bool PipelineProfile::waited() const {
  return Share(starved_ns, wall_ns) >= 0.05;
}

std::string PipelineProfile::BoundBy() const {
  if (!waited() || stages.empty()) {
    return "whoever takes the batches";
  }
  // The stages that share the threads are as busy as all of them together.
  int64_t shared_ns = 0;
  for (const StageProfile& stage : stages) {
    if (!stage.one_thread) shared_ns += stage.busy_ns;
  }
  const double shared = Share(shared_ns, wall_ns) / std::max(1, threads);
  const StageProfile* bound = nullptr;
  for (const StageProfile& stage : stages) {
    if (stage.one_thread && Share(stage.busy_ns, wall_ns) > shared &&
        (bound == nullptr || stage.busy_ns > bound->busy_ns)) {
      bound = &stage;
    }
  }
  if (bound == nullptr) {
    for (const StageProfile& stage : stages) {
      if (!stage.one_thread &&
          (bound == nullptr || stage.busy_ns > bound->busy_ns)) {
        bound = &stage;
      }
    }
  }
  return bound == nullptr ? "whoever takes the batches" : bound->name;
}

std::string PipelineProfile::Describe() const {
  std::string text = fmt::format(
      "stages of the pipeline: {} threads, {:.3f} s, bound by {}\n"
      "  {:<10} {:>12} {:>9} {:>12} {:>14}\n",
      threads, static_cast<double>(wall_ns) * 1e-9, BoundBy(), "", "busy ms",
      "% busy", "rows", "bytes");
  for (const StageProfile& stage : stages) {
    const int64_t whole_ns = stage.one_thread ? wall_ns : wall_ns * threads;
    text += fmt::format("  {:<10} {:>12.3f} {:>9.2f} {:>12} {:>14}\n",
                        stage.name, static_cast<double>(stage.busy_ns) * 1e-6,
                        100 * Share(stage.busy_ns, whole_ns), stage.rows,
                        stage.bytes);
  }
  return text + fmt::format(
                    "  batches were waited for {:.2f} % of the time, waited to "
                    "be taken {:.2f} %\n",
                    100 * Share(starved_ns, wall_ns),
                    100 * Share(blocked_ns, wall_ns));
}

}  // namespace penstock
