#include "pipeline/build/row_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "pipeline/build/append_row.h"
#include "pipeline/graph/feature_form.h"
#include "pipeline/order/keyed_draws.h"

namespace penstock {
namespace {

// The columns of a chunk before a function saw them.
class ChunkForm {
 public:
  explicit ChunkForm(const Examples& rows) {
    for (const Column& column : rows.columns) {
      types_.push_back(column.type);
      names_.push_back(column.name);
    }
  }

  // Without rows.
  void MakeColumns(Examples& rows) const {
    for (size_t c = 0; c < types_.size(); ++c) {
      Column& column = rows.columns.emplace_back();
      column.name = names_[c];
      column.type = types_[c];
    }
  }

  // Whether `rows` has the same columns, of `count` rows.
  bool IsOf(const Examples& rows, size_t count) const {
    if (rows.columns.size() != types_.size()) return false;
    for (size_t c = 0; c < types_.size(); ++c) {
      const Column& column = rows.columns[c];
      if (column.type != types_[c] || column.name != names_[c]) return false;
      if (column.row_offsets.size() != count + 1) return false;
      if (column.row_offsets.front() != 0) return false;
      if (!std::ranges::is_sorted(column.row_offsets)) return false;
      if (column.row_offsets.back() != column.values()) return false;
    }
    return true;
  }

 private:
  std::vector<FeatureType> types_;
  std::vector<std::string> names_;
};

Status MapError(const MapStage& map, std::string what) {
  return InvalidArgumentError(
      fmt::format("Map \"{}\" {}", map.options.name, what));
}

// The rows of `made`, rows_of[r] of which row `r` of `from` became. One that
// was left out or became none keeps a number of its own.
void NumberRows(const ChunkOfRows& from, std::span<const uint32_t> rows_of,
                ChunkOfRows& made) {
  size_t row = 0;  // of `from`
  for (uint32_t at = 0; at < from.rows_of.size(); ++at) {
    uint32_t next = 0;
    for (uint32_t number = 0; number < from.rows_of[at]; ++number) {
      uint32_t becomes = 0;
      if (row < rows_of.size() && from.at[row] == at &&
          from.numbers[row] == number) {
        becomes = rows_of[row];
        made.records.insert(made.records.end(), becomes, from.records[row]);
        made.at.insert(made.at.end(), becomes, at);
        for (uint32_t i = 0; i < becomes; ++i) made.numbers.push_back(next + i);
        ++row;
      }
      next += std::max<uint32_t>(becomes, 1);
    }
    made.rows_of.push_back(next);
  }
}

}  // namespace

Status RowOps::Run(size_t begin, size_t end, uint64_t epoch,
                   const Locate& locate, ChunkOfRows& chunk) const {
  for (size_t op = begin; op < end; ++op) {
    if (chunk.rows.rows == 0) return OkStatus();
    PENSTOCK_RETURN_IF_ERROR(std::visit(
        [&](const auto& stage) { return Run(stage, op, epoch, locate, chunk); },
        ops_[op]));
  }
  return OkStatus();
}

std::vector<uint64_t> RowOps::KeysOf(size_t op, uint64_t seed, uint64_t epoch,
                                     const ChunkOfRows& chunk) const {
  const uint64_t stage =
      MixKeys({HashSeed(seed, epoch, SeedStage::kRowFunction, dataset_), op});
  std::vector<uint64_t> keys;
  keys.reserve(chunk.records.size());
  for (size_t row = 0; row < chunk.records.size(); ++row) {
    const uint64_t record = chunk.records[row];
    const uint64_t number = chunk.numbers[row];
    keys.push_back(number == 0 ? MixKeys({stage, record})
                               : MixKeys({stage, record, number}));
  }
  return keys;
}

Status RowOps::Run(const SelectStage& select, size_t, uint64_t, const Locate&,
                   ChunkOfRows& chunk) const {
  std::vector<Column> columns;
  for (const std::string& name : select.names) {
    columns.push_back(
        std::move(*std::ranges::find(chunk.rows.columns, name, &Column::name)));
  }
  chunk.rows.columns = std::move(columns);
  return OkStatus();
}

Status RowOps::Run(const RenameOptions& rename, size_t, uint64_t, const Locate&,
                   ChunkOfRows& chunk) const {
  std::ranges::find(chunk.rows.columns, rename.from, &Column::name)->name =
      rename.to;
  return OkStatus();
}

Status RowOps::Run(const ConstantOptions& constant, size_t, uint64_t,
                   const Locate&, ChunkOfRows& chunk) const {
  Column& column = chunk.rows.columns.emplace_back();
  column.name = constant.name;
  const size_t rows = chunk.rows.rows;
  if (IsFloatType(constant.as)) {
    column.type = FeatureType::kFloat;
    column.floats.assign(rows, static_cast<float>(constant.value));
  } else {
    column.type = FeatureType::kInt64;
    column.ints.assign(rows, static_cast<int64_t>(constant.value));
  }
  for (size_t row = 1; row <= rows; ++row) column.row_offsets.push_back(row);
  return OkStatus();
}

Status RowOps::Run(const MapStage& map, size_t op, uint64_t epoch,
                   const Locate& locate, ChunkOfRows& chunk) const {
  const ChunkForm form(chunk.rows);
  std::vector<std::vector<uint64_t>> before;  // [columns] row_offsets
  for (const Column& column : chunk.rows.columns) {
    before.push_back(column.row_offsets);
  }
  const size_t rows = chunk.rows.rows;
  const std::vector<uint64_t> keys = KeysOf(op, map.options.seed, epoch, chunk);
  const Status status = map.function({chunk.rows, chunk.records, keys});
  if (!status.ok()) {
    return Annotate(status, fmt::format("Map \"{}\"", map.options.name));
  }
  if (chunk.rows.rows != rows || !form.IsOf(chunk.rows, rows)) {
    return MapError(map,
                    "changed the columns, their types or the number of rows");
  }
  if (!map.options.keeps_lengths) return OkStatus();
  for (size_t c = 0; c < before.size(); ++c) {
    const Column& column = chunk.rows.columns[c];
    const auto [was, is] = std::ranges::mismatch(before[c], column.row_offsets);
    if (was == before[c].end()) continue;
    const auto row = static_cast<size_t>(was - before[c].begin()) - 1;
    return MapError(
        map,
        fmt::format("made {} values of {} of feature \"{}\" of {}: say "
                    "keeps_lengths = false",
                    column.values_in(row), before[c][row + 1] - before[c][row],
                    column.name, locate(chunk.records[row])));
  }
  return OkStatus();
}

Status RowOps::Run(const FilterStage& filter, size_t op, uint64_t epoch,
                   const Locate&, ChunkOfRows& chunk) const {
  const std::vector<uint64_t> keys =
      KeysOf(op, filter.options.seed, epoch, chunk);
  std::vector<bool> keep(chunk.rows.rows, true);
  const Status status =
      filter.function({chunk.rows, chunk.records, keys}, keep);
  if (!status.ok()) {
    return Annotate(status, fmt::format("Filter \"{}\"", filter.options.name));
  }
  if (keep.size() != chunk.rows.rows) {
    return InvalidArgumentError(
        fmt::format("Filter \"{}\" says of {} rows whether they stay, but "
                    "there are {}",
                    filter.options.name, keep.size(), chunk.rows.rows));
  }
  ChunkOfRows kept;
  for (size_t row = 0; row < keep.size(); ++row) {
    if (!keep[row]) continue;
    AppendRow(chunk.rows, row, kept.rows);
    kept.records.push_back(chunk.records[row]);
    kept.at.push_back(chunk.at[row]);
    kept.numbers.push_back(chunk.numbers[row]);
  }
  if (kept.rows.rows == chunk.rows.rows) return OkStatus();
  kept.rows_of = std::move(chunk.rows_of);
  chunk = std::move(kept);
  return OkStatus();
}

Status RowOps::Run(const FlatMapStage& flat_map, size_t op, uint64_t epoch,
                   const Locate& locate, ChunkOfRows& chunk) const {
  const FlatMapOptions& options = flat_map.options;
  const ChunkForm form(chunk.rows);
  const size_t rows = chunk.rows.rows;
  ChunkOfRows made;
  form.MakeColumns(made.rows);
  std::vector<uint32_t> rows_of(rows);
  const std::vector<uint64_t> keys = KeysOf(op, options.seed, epoch, chunk);
  const Status status =
      flat_map.function({chunk.rows, chunk.records, keys}, made.rows, rows_of);
  if (!status.ok()) {
    return Annotate(status, fmt::format("FlatMap \"{}\"", options.name));
  }
  if (rows_of.size() != rows) {
    return InvalidArgumentError(
        fmt::format("FlatMap \"{}\" says of {} rows how many they become, but "
                    "there are {}",
                    options.name, rows_of.size(), rows));
  }
  for (size_t row = 0; row < rows; ++row) {
    made.rows.rows += rows_of[row];
    if (rows_of[row] <= options.most_rows) continue;
    return InvalidArgumentError(fmt::format(
        "{}: FlatMap \"{}\" makes {} rows of it, but its most_rows is {}",
        locate(chunk.records[row]), options.name, rows_of[row],
        options.most_rows));
  }
  if (!form.IsOf(made.rows, made.rows.rows)) {
    return InvalidArgumentError(
        fmt::format("FlatMap \"{}\" made other columns or types, or not the {} "
                    "rows in each that it says",
                    options.name, made.rows.rows));
  }
  NumberRows(chunk, rows_of, made);
  chunk = std::move(made);
  return OkStatus();
}

}  // namespace penstock
