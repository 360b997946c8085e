#include "pipeline/run/host_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace penstock {
namespace {

// Of steps that are kept for hosts that come to them later.
constexpr uint64_t kKeptBytes = 1 << 20;
constexpr uint64_t kLeastKept = 4;
constexpr uint64_t kMostKept = 64;

}  // namespace

HostPlan::HostPlan(const PlanFacts& facts, std::shared_ptr<const void> owner,
                   Group* group)
    : facts_(facts),
      owner_(std::move(owner)),
      group_(group != nullptr && group->is_one_process() ? group : nullptr),
      plan_(facts_.MakePlan()) {}

Status HostPlan::Load(const State& state) {
  start_ = state;
  return plan_.Load(state);
}

Status HostPlan::Begin() {
  if (group_ == nullptr) return OkStatus();
  PENSTOCK_ASSIGN_OR_RETURN(Plan plan, PlanFrom(start_));
  const std::string name =
      fmt::format("the plan from {}", FormatState(start_.value_or(State())));
  shared_ = std::static_pointer_cast<SharedPlan>(group_->Share(
      name,
      std::make_shared<SharedPlan>(std::move(plan), owner_, kept_steps())));
  return OkStatus();
}

StatusOr<const Step*> HostPlan::Next(const std::stop_token& stop) {
  if (shared_ != nullptr) {
    PENSTOCK_ASSIGN_OR_RETURN(const SharedPlan::Taken taken,
                              shared_->Take(taken_, stop));
    if (taken.step != nullptr || taken.at_end) {
      if (taken.at_end) counts_ = *taken.at_end;
      last_ = taken.step;
      ++taken_;
      return last_.get();
    }
    // The others are far ahead: from here on this host plans for itself.
    PENSTOCK_ASSIGN_OR_RETURN(
        plan_, PlanFrom(last_ != nullptr ? last_->after : start_));
    shared_ = nullptr;
  }
  PENSTOCK_ASSIGN_OR_RETURN(const bool made, plan_.Next(stop, step_));
  if (made) return &step_;
  counts_ = plan_.steps().counts();
  return nullptr;
}

uint64_t HostPlan::kept_steps() const {
  if (group_ == nullptr) return 0;
  return std::clamp(kKeptBytes / MostStepBytes(), kLeastKept, kMostKept);
}

StatusOr<Plan> HostPlan::PlanFrom(const std::optional<State>& state) const {
  Plan plan = facts_.MakePlan();
  if (state) PENSTOCK_RETURN_IF_ERROR(plan.Load(*state));
  return plan;
}

uint64_t HostPlan::MostStepBytes() const {
  const Arranger& arranger = plan_.steps().arranger();
  // An offset of each row and one more; no row is without a piece.
  return sizeof(Step) + 4 + arranger.MostPieces() * (sizeof(Piece) + 4) +
         arranger.MostHeldPieces() * sizeof(HeldPiece);
}

}  // namespace penstock
