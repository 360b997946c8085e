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
  chunk.numbers.resize(ids.size());
  chunk.rows_of.assign(ids.size(), 1);
  PENSTOCK_RETURN_IF_ERROR(
      Parse(records, ids, epoch, locate, scratch.tokenized, chunk.rows));
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
  AppendChunk(chunk, out);
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
          "{}: feature \"{}\" has {} values after Map or FlatMap, but a batch "
          "always has {}",
          locate(chunk.records[row]), column.name, values, most_values_[c]));
    }
  }
  return OkStatus();
}

void Decoder::AppendChunk(const ChunkOfRows& chunk, DecodedRows& out) const {
  Examples& to = out.examples;
  if (to.columns.empty()) to.columns = columns_.columns;
  out.rows_of.insert(out.rows_of.end(), chunk.rows_of.begin(),
                     chunk.rows_of.end());
  const size_t rows = chunk.rows.rows;
  if (rows ==
      std::reduce(chunk.rows_of.begin(), chunk.rows_of.end(), size_t{0})) {
    for (size_t c = 0; c < to.columns.size(); ++c) {
      AppendColumn(chunk.rows.columns[c], to.columns[c]);
    }
    to.rows += rows;
    AppendLengths(chunk.rows, 0, out);
    return;
  }
  size_t next = 0;  // row of the chunk
  for (size_t at = 0; at < chunk.rows_of.size(); ++at) {
    for (uint32_t number = 0; number < chunk.rows_of[at]; ++number) {
      if (next < rows && chunk.at[next] == at &&
          chunk.numbers[next] == number) {
        AppendRow(chunk.rows, next, to);
        AppendLength(chunk.rows, next++, out);
      } else {
        AppendNoValues(to);
        out.lengths.push_back(kLeftOut);
      }
    }
  }
}

}  // namespace penstock
