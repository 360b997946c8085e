#include "pipeline/compile/arrange_options.h"

#include <utility>
#include <vector>

#include "pipeline/order/length_grid.h"

namespace penstock {

ArrangeOptions ArrangeOf(const Stages& stages, const SourceDecoders& decoder) {
  ArrangeOptions arrange = {
      .rows = static_cast<uint64_t>(stages.batch.size),
      .lengths = stages.measures(),
      .leftovers = stages.leftovers(),
      .merge_leftovers = stages.bucket && stages.bucket->merge_leftovers,
      .too_long = stages.too_long(),
      .one_queue = stages.pad.has_value(),
      .row_bytes = {}};
  for (const int64_t rows : stages.shape_rows()) {
    arrange.length_rows.push_back(static_cast<uint64_t>(rows));
  }
  for (const int64_t length : stages.lengths()) {
    arrange.row_bytes.push_back(decoder.RowBytes(length));
  }
  if (stages.grid()) {
    arrange.cell_values.resize(arrange.lengths.size());
    for (const std::string& feature : stages.arranging()) {
      const std::vector<int64_t> lengths = stages.LengthsOf(feature);
      for (size_t cell = 0; cell < lengths.size(); ++cell) {
        arrange.cell_values[cell] += lengths[cell];
      }
    }
  }
  if (stages.pack) {
    arrange.pack = {.kind = stages.pack->kind,
                    .max_segments = stages.max_segments(),
                    .window_rows = stages.window_rows(),
                    .record_bytes = decoder.RowBytes(0),
                    .value_bytes = decoder.RowBytes(1) - decoder.RowBytes(0)};
  }
  const BalanceOptions& balance = stages.batch.balance;
  if (balance.parts > 0) {
    arrange.balance = {.parts = static_cast<uint64_t>(balance.parts),
                       .linear = balance.linear,
                       .quadratic = balance.quadratic};
  }
  return arrange;
}

StatusOr<PlannedLengths> LengthsOf(const Stages& stages, const Sources& sources,
                                   TaskQueue& tasks, ArrangeOptions& arrange) {
  std::vector<LengthTable> tables;  // of the features that arrange
  for (const std::string& feature : stages.arranging()) {
    if (feature.empty()) break;
    PENSTOCK_ASSIGN_OR_RETURN(
        auto columns, sources.indexed->Lengths(stages.OriginOf(feature)));
    tables.emplace_back(std::move(columns));
  }
  if (tables.empty()) return PlannedLengths();
  const auto grid = stages.grid();
  if (!grid) return PlannedLengths{.arranged = tables.front(), .values = {}};
  Measured measured =
      MeasureRecords(*grid, tables, sources.indexed->records(), tasks);
  arrange.mean_values = std::move(measured.mean_values);
  return PlannedLengths{
      .arranged = LengthTable::Of(std::move(measured.measures)),
      .values = tables.front()};
}

}  // namespace penstock
