#include "infeed/training/run_report.h"

namespace penstock {
namespace {

double PerSecond(uint64_t count, int64_t ns) {
  return ns == 0 ? 0.0
                 : static_cast<double>(count) * 1e9 / static_cast<double>(ns);
}

}  // namespace

int64_t RunReport::MeanNs(Bucket bucket) const {
  if (cores.empty()) return 0;
  int64_t sum_ns = 0;
  for (const CoreReport& core : cores) sum_ns += core.ledger.ns(bucket);
  return sum_ns / static_cast<int64_t>(cores.size());
}

double RunReport::goodput_percent() const {
  if (wall_ns == 0) return 0;
  return 100.0 * static_cast<double>(MeanNs(Bucket::kCompute)) /
         static_cast<double>(wall_ns);
}

double RunReport::examples_per_second() const {
  return PerSecond(rows.examples, wall_ns);
}

double RunReport::tokens_per_second() const {
  return PerSecond(rows.real_tokens, wall_ns);
}

std::string RunReport::bound_by() const {
  const bool input = InputBoundOf(times.infeed_percent) != InputBound::kNot;
  if (times.outfeed_percent > times.infeed_percent &&
      InputBoundOf(times.outfeed_percent) != InputBound::kNot) {
    return "outfeed";
  }
  if (!input) return "device";
  if (MeanNs(Bucket::kTransferWait) > MeanNs(Bucket::kInfeedWait)) {
    return "transfer";
  }
  const bool waited = pipeline && pipeline->waited();
  return waited ? pipeline->BoundBy() : "hand-over";
}

}  // namespace penstock
