// The steps of a planned run as one host comes to them: made by itself, or once
// for all hosts that are threads of one process.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>

#include "formats/files/status_or.h"
#include "pipeline/arrange/plan_facts.h"
#include "pipeline/group.h"
#include "pipeline/run/shared_plan.h"

namespace penstock {

// Threads: one at a time.
class HostPlan {
 public:
  // `facts` are those of the run, and refer to what `owner` keeps alive.
  // `group` is borrowed; null for one host.
  HostPlan(const PlanFacts& facts, std::shared_ptr<const void> owner,
           Group* group);

  // Goes on after `state`. Before Begin().
  // Errors:  those of Plan::Load().
  Status Load(const State& state);
  // Before the first Next(): all hosts go on from the same state.
  Status Begin();

  // The next step, until the one after it is asked for; null after the last.
  // Errors:  those of Plan::Next().
  StatusOr<const Step*> Next(const std::stop_token& stop);
  // After the last.
  const PipelineCounts& counts() const { return counts_; }

  // Steps that hosts keep for each other, and their bytes, at most; 0 where
  // this host plans for itself.
  uint64_t kept_steps() const;
  uint64_t MostKeptBytes() const { return kept_steps() * MostStepBytes(); }

 private:
  StatusOr<Plan> PlanFrom(const std::optional<State>& state) const;
  uint64_t MostStepBytes() const;

  const PlanFacts& facts_;
  const std::shared_ptr<const void> owner_;
  Group* const group_;  // null: nobody to share with
  std::optional<State> start_;
  PipelineCounts counts_;

  // While it is not null steps are taken from it, and then from plan_.
  std::shared_ptr<SharedPlan> shared_;
  uint64_t taken_ = 0;  // steps of shared_
  std::shared_ptr<const Step> last_;

  Plan plan_;
  Step step_;  // of plan_
};

}  // namespace penstock
