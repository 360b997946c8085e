#include "pipeline/arrange/pack_forecast.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "pipeline/arrange/planned_rows.h"

namespace penstock {
namespace {

constexpr uint64_t kMostPacked = 1 << 18;
constexpr uint64_t kRecordsAtOnce = 4096;

// What came out of packing some records.
struct Packed {
  uint64_t records = 0;  // that went in
  uint64_t batches = 0;
  uint64_t rows = 0;
  uint64_t pieces = 0;
  uint64_t values = 0;
  std::optional<BalanceRule> balance = {};
  double before = 0;  // of all batches, see PackForecast::dearest_before
  double after = 0;

  void Add(const Assignment& assignment) {
    if (balance) {
      before += DearestPart(*balance, assignment);
      Assignment placed = assignment;
      BalanceRows(*balance, placed);
      after += DearestPart(*balance, placed);
    }
    ++batches;
    rows += assignment.real_rows;
    pieces += assignment.pieces.size();
    for (const Piece& piece : assignment.pieces) values += piece.length;
  }
};

void AddAll(std::span<const Row> rows, Arranger& arranger, Packed& packed) {
  Assignment out;
  for (bool due = true; due || !rows.empty();) {
    const Arranged arranged = arranger.Add(rows, out);
    rows = rows.subspan(arranged.taken);
    due = arranged.due;
    if (due) packed.Add(out);
    if (arranged.too_long) return;
  }
}

Packed PackFirst(const PlanFacts& facts) {
  Packed packed;
  ArrangeOptions options = facts.arrange;
  packed.balance = std::exchange(options.balance, std::nullopt);
  const auto arranger = MakeArranger(std::move(options));
  PlannedRows rows;
  const uint64_t records = std::min(kMostPacked, facts.order->records());
  while (packed.records < records) {
    const uint64_t count = std::min(kRecordsAtOnce, records - packed.records);
    AddAll(rows.Fill(*facts.order, facts.lengths, 0, packed.records, count),
           *arranger, packed);
    packed.records += count;
  }
  // The end of an epoch says little of its middle.
  if (packed.batches > 0 && records < facts.order->records()) return packed;
  Assignment out;
  while (arranger->FlushFull(out)) packed.Add(out);
  while (facts.steps.leftover == Leftover::kPad && arranger->Flush(out)) {
    packed.Add(out);
  }
  return packed;
}

double Ratio(uint64_t part, uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

PackForecast ForecastPacking(const PlanFacts& facts) {
  const auto length = static_cast<uint64_t>(facts.arrange.lengths.back());
  const PackRule& rule = *facts.arrange.pack;
  const Packed packed = PackFirst(facts);
  PackForecast forecast = {.records = packed.records,
                           .fill = Ratio(packed.values, packed.rows * length),
                           .segments = Ratio(packed.pieces, packed.rows),
                           .steps = static_cast<double>(packed.batches)};
  if (packed.batches > 0) {
    const auto batches = static_cast<double>(packed.batches);
    forecast.dearest_before = packed.before / batches;
    forecast.dearest_after = packed.after / batches;
  }
  if (packed.records < facts.order->records() && packed.values > 0) {
    forecast.steps *= Ratio(facts.forecast.values, packed.values);
  }
  if (facts.order->epochs_share() != InCommon::kNothing &&
      !facts.arrange.shares && IsCut(rule.kind) &&
      rule.max_segments >= length && facts.forecast.without_values == 0) {
    // A row that is not full fills no batch, unless others pad it.
    const bool pads = facts.steps.leftover == Leftover::kPad;
    const uint64_t of_batch = length * facts.arrange.rows;
    const bool more = pads && facts.forecast.values % of_batch != 0;
    forecast.exact_steps = facts.forecast.values / of_batch + (more ? 1 : 0);
    forecast.steps = static_cast<double>(*forecast.exact_steps);
  }
  return forecast;
}

}  // namespace penstock
