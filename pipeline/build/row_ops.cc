#include "pipeline/build/row_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "pipeline/build/append_row.h"
#include "pipeline/graph/feature_form.h"
#include "pipeline/order/keyed_draws.h"

namespace penstock {
namespace {

// How the columns of a chunk were before a function saw them.
struct ChunkForm {
  explicit ChunkForm(const Examples& rows) : count(rows.rows) {
    for (const Column& column : rows.columns) {
      types.push_back(column.type);
      names.push_back(column.name);
      offsets.push_back(column.row_offsets);
    }
  }

  bool SameColumns(const Examples& rows) const {
    if (rows.rows != count || rows.columns.size() != types.size()) return false;
    for (size_t c = 0; c < types.size(); ++c) {
      const Column& column = rows.columns[c];
      if (column.type != types[c] || column.name != names[c]) return false;
      if (column.row_offsets.size() != count + 1) return false;
      if (column.row_offsets.front() != 0) return false;
      if (!std::ranges::is_sorted(column.row_offsets)) return false;
      if (column.row_offsets.back() != column.values()) return false;
    }
    return true;
  }

  size_t count;
  std::vector<FeatureType> types;
  std::vector<std::string> names;
  std::vector<std::vector<uint64_t>> offsets;
};

Status MapError(const MapStage& map, std::string what) {
  return InvalidArgumentError(
      fmt::format("Map \"{}\" {}", map.options.name, what));
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
  for (const uint64_t record : chunk.records) {
    keys.push_back(MixKeys({stage, record}));
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
  const ChunkForm before(chunk.rows);
  const std::vector<uint64_t> keys = KeysOf(op, map.options.seed, epoch, chunk);
  const Status status = map.function({chunk.rows, chunk.records, keys});
  if (!status.ok()) {
    return Annotate(status, fmt::format("Map \"{}\"", map.options.name));
  }
  if (!before.SameColumns(chunk.rows)) {
    return MapError(map,
                    "changed the columns, their types or the number of rows");
  }
  if (!map.options.keeps_lengths) return OkStatus();
  for (size_t c = 0; c < before.offsets.size(); ++c) {
    const Column& column = chunk.rows.columns[c];
    const auto [was, is] =
        std::ranges::mismatch(before.offsets[c], column.row_offsets);
    if (was == before.offsets[c].end()) continue;
    const auto row = static_cast<size_t>(was - before.offsets[c].begin()) - 1;
    return MapError(
        map, fmt::format("made {} values of {} of feature \"{}\" of {}: say "
                         "keeps_lengths = false",
                         column.values_in(row),
                         before.offsets[c][row + 1] - before.offsets[c][row],
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
  }
  if (kept.rows.rows < chunk.rows.rows) chunk = std::move(kept);
  return OkStatus();
}

}  // namespace penstock
