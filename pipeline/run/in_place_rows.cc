#include "pipeline/run/in_place_rows.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "pipeline/read/rounds.h"

namespace penstock {
namespace {

// Of a feature in a decoded row.
uint64_t MostValues(const Stages& stages, const Feature& feature) {
  if (feature.length != Feature::kVarying || stages.chunks()) {
    return std::numeric_limits<uint64_t>::max();
  }
  return static_cast<uint64_t>(stages.LengthsOf(feature.name).back()) + 1;
}

bool WantsWide(const Stages& stages) {
  return stages.objective &&
         std::holds_alternative<SpanCorruption>(*stages.objective);
}

// The numbers of the columns that are the features of a batch, if each has
// offsets, no row has too many values, no function looks at them, and none is
// of int32 where an objective wants int64.
std::optional<std::vector<size_t>> ColumnsInPlace(const Stages& stages,
                                                  const SourceStages& source,
                                                  const ColumnTable& table) {
  if (!source.row_ops.empty() || source.tokenize) return std::nullopt;
  std::vector<size_t> used;
  for (const Feature& feature : stages.batched) {
    const uint64_t most = MostValues(stages, feature);
    const size_t c = table.Find(feature.name);
    if (c == SIZE_MAX ||
        table.columns().columns[c].row_offsets.size() != table.rows() + 1 ||
        (table.columns().columns[c].narrow && WantsWide(stages)) ||
        std::ranges::any_of(table.Lengths(c),
                            [&](uint32_t length) { return length > most; })) {
      return std::nullopt;
    }
    used.push_back(c);
  }
  return used;
}

// Whether a row is one that RecordTooLarge() is of.
bool HasTooLarge(const ColumnTable& table, uint64_t max_record_bytes) {
  const uint64_t most = std::max(kChunkBytes, max_record_bytes);
  if (table.size_bytes() <= most) return false;
  for (uint64_t row = 0; row < table.rows(); ++row) {
    if (table.RowBytes(row) > most) return true;
  }
  return false;
}

}  // namespace

std::optional<TableRows> RowsInPlace(const Job& job,
                                     const SourceRecords& records) {
  const Stages& stages = job.stages;
  if (!records.in_memory()) return std::nullopt;
  TableRows rows;
  uint64_t first_id = 0;
  for (size_t s = 0; s < stages.sources.size(); ++s) {
    const RecordSource& source = records.sources()[s];
    const RecordSide& side = source.sides[0];
    if (source.sides.size() > 1) return std::nullopt;
    auto used = ColumnsInPlace(stages, stages.sources[s], *side.columns);
    if (!used || HasTooLarge(*side.columns, job.max_record_bytes)) {
      return std::nullopt;
    }
    rows.Add(first_id, *side.columns, side.first, *std::move(used));
    first_id += source.records;
  }
  return rows;
}

}  // namespace penstock
