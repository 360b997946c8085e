// What a plan is made of.
#pragma once

#include <cstdint>
#include <memory>

#include "pipeline/arrange/arranger.h"
#include "pipeline/arrange/forecast.h"
#include "pipeline/arrange/plan.h"
#include "pipeline/arrange/steps.h"
#include "pipeline/order/lengths.h"
#include "pipeline/order/order.h"
#include "pipeline/tasks/task_queue.h"

namespace penstock {

// For those who need several of it.
struct PlanFacts {
  std::shared_ptr<const Order> order;
  LengthTable lengths;
  ArrangeOptions arrange;
  StepOptions steps;
  RefuseRow too_long = {};
  Forecast forecast;  // of epoch 0, as of all that have the same records
  // Of the feature that arranges, where `lengths` are measures of several.
  LengthTable values = {};

  Plan MakePlan() const;
  Forecast ForecastOf(uint64_t epoch, TaskQueue& tasks) const;
};

}  // namespace penstock
