// Decoding where functions look at chunks of rows.
#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "formats/files/status_or.h"
#include "pipeline/build/append_row.h"
#include "pipeline/build/decode.h"

namespace penstock {

Status Decoder::DecodeChunk(std::span<const std::string_view> records,
                            std::span<const uint64_t> ids, uint64_t epoch,
                            const Locate& locate, DecodeScratch& scratch,
                            DecodedRows& out) const {
  ChunkOfRows chunk;
  chunk.records.assign(ids.begin(), ids.end());
  chunk.at.resize(ids.size());
  std::iota(chunk.at.begin(), chunk.at.end(), 0);
  PENSTOCK_RETURN_IF_ERROR(Parse(records, ids, epoch, locate, chunk.rows));
  const size_t before = tokenize_ ? ops_before_tokenize_ : 0;
  PENSTOCK_RETURN_IF_ERROR(ops_.Run(0, before, epoch, locate, chunk));
  if (tokenize_ && chunk.rows.rows > 0) {
    Examples tokens;
    PENSTOCK_RETURN_IF_ERROR(
        Tokenize(chunk.records, locate, chunk.rows, scratch, tokens));
    chunk.rows = std::move(tokens);
  }
  PENSTOCK_RETURN_IF_ERROR(ops_.Run(before, ops_.size(), epoch, locate, chunk));
  PENSTOCK_RETURN_IF_ERROR(CheckChunk(chunk, locate));
  AppendChunk(chunk, ids.size(), out);
  return OkStatus();
}

// A function may have changed how many values there are.
Status Decoder::CheckChunk(const ChunkOfRows& chunk,
                           const Locate& locate) const {
  if (chunk.rows.rows == 0) return OkStatus();
  for (size_t c = 0; c < chunk.rows.columns.size(); ++c) {
    if (!fixed_[c]) continue;
    const Column& column = chunk.rows.columns[c];
    for (size_t row = 0; row < chunk.rows.rows; ++row) {
      const uint64_t values = column.values_in(row);
      if (values == most_values_[c] || (values == 0 && optional_[c])) continue;
      return InvalidArgumentError(fmt::format(
          "{}: feature \"{}\" has {} values after Map, but always {} in a "
          "batch",
          locate(chunk.records[row]), column.name, values, most_values_[c]));
    }
  }
  return OkStatus();
}

void Decoder::AppendChunk(const ChunkOfRows& chunk, size_t rows,
                          DecodedRows& out) const {
  Examples& to = out.examples;
  if (to.columns.empty()) to.columns = columns_.columns;
  if (chunk.rows.rows == rows) {
    for (size_t c = 0; c < to.columns.size(); ++c) {
      AppendColumn(chunk.rows.columns[c], to.columns[c]);
    }
    to.rows += rows;
    for (size_t row = 0; row < rows; ++row) AppendLength(chunk.rows, row, out);
    return;
  }
  size_t next = 0;  // row of the chunk
  for (size_t row = 0; row < rows; ++row) {
    if (next < chunk.rows.rows && chunk.at[next] == row) {
      AppendRow(chunk.rows, next, to);
      AppendLength(chunk.rows, next++, out);
    } else {
      AppendNoValues(to);
      out.lengths.push_back(kLeftOut);
    }
  }
}

}  // namespace penstock
