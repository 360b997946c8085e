#include "pipeline/compile/share_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

constexpr char kOtherLeftovers[] =
    "; use Leftover::kPad or Leftover::kDrop, or leave shard_by out";

uint64_t StepsOfHost(const OrderTree& tree, size_t host) {
  const uint64_t rows = tree.shares->MostRowsOf(host);
  return (tree.host_orders[host]->records() + rows - 1) / rows;
}

}  // namespace

void ForecastShares(const OrderTree& tree, PlanFacts& plan) {
  Forecast& forecast = plan.forecast;
  const ArrangeOptions& arrange = plan.arrange;
  forecast.left_over_queue.reset();
  const bool one_queue = arrange.one_queue || arrange.lengths.size() == 1;
  forecast.depends_on_shares =
      !one_queue || arrange.pack.has_value() || forecast.dropped > 0;
  if (forecast.depends_on_shares) return;
  forecast.steps = 0;
  for (size_t host = 0; host < tree.host_orders.size(); ++host) {
    forecast.steps = std::max(forecast.steps, StepsOfHost(tree, host));
  }
  forecast.pad_rows = forecast.steps * arrange.rows - tree.order->records();
  forecast.left_over = 0;
}

Status CheckShares(const Stages& stages, const OrderTree& tree,
                   const PlanFacts& plan, TaskQueue& tasks) {
  if (stages.batch.leftover != Leftover::kError || stages.pack) {
    return OkStatus();
  }
  for (size_t host = 0; host < tree.host_orders.size(); ++host) {
    const Forecast of_host =
        ForecastEpoch(*tree.host_orders[host], /*epoch=*/0, plan.lengths,
                      plan.arrange, /*keep_left_over=*/false, tasks);
    const auto& fed = tree.shares->rows[host];
    for (size_t queue = 0; queue < of_host.queue_rows.size(); ++queue) {
      const uint64_t rows = of_host.queue_rows[queue];
      const uint64_t part = fed[fed.size() > 1 ? queue : 0].size();
      if (rows % part == 0) continue;
      return FailedPreconditionError(fmt::format(
          "the {} rows{} of host {} do not fill its {} rows of whole batches: "
          "{} are left over{}",
          rows,
          stages.bucket ? fmt::format(" of length {}", stages.ShapeName(queue))
                        : std::string(),
          host, part, rows % part, kOtherLeftovers));
    }
    if (plan.forecast.depends_on_shares) continue;
    const uint64_t steps = StepsOfHost(tree, host);
    if (steps == plan.forecast.steps) continue;
    return FailedPreconditionError(fmt::format(
        "host {} has rows for {} steps, and another for {}, so that rows of "
        "that are left over{}",
        host, steps, plan.forecast.steps, kOtherLeftovers));
  }
  return OkStatus();
}

}  // namespace penstock
