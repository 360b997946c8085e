// Samples that go from their file straight into the batch.
#include <algorithm>
#include <cstddef>
#include <span>

#include "pipeline/run/planned_reader.h"
#include "pipeline/run/planned_scratch.h"

namespace penstock {

// Rows of one record each, whose long values are read straight into the batch;
// false where the next one is none or is not right, which the ordinary way
// tells. Nothing is believed of a record before all of it was proven.
StatusOr<bool> PlannedReader::BuildLong(const Assignment& assignment,
                                        size_t end, size_t& row, Batch& batch,
                                        uint64_t& cut_rows,
                                        Scratch& scratch) const {
  end = std::min(end, row + kLongRowsAtOnce);
  scratch.ids.clear();
  scratch.rests.clear();
  uint64_t bytes = 0;
  {
    const StageTimer timer(job_->accounts->read);
    for (size_t next = row; next < end; ++next) {
      const auto size = TakeLong(assignment, next, end, batch, scratch);
      if (!size) break;
      bytes += *size;
    }
  }
  if (scratch.ids.empty()) return false;
  const Locate locate = [this](uint64_t id) { return files_->Locate(id); };
  scratch.rows.Clear();
  // What a message says of a record's bytes would be of those that are left.
  if (!job_->Decode(scratch.rests, bytes, scratch.ids, batch.epoch, locate,
                    scratch.decode, scratch.rows)
           .ok()) {
    return false;
  }
  const StageTimer timer(job_->accounts->build);
  const size_t rows = scratch.ids.size();
  job_->accounts->build.Count(rows,
                              job_->contract().RowBytes(batch.shape) * rows);
  const std::vector<uint32_t>& rows_fed = job_->RowsOf(batch.shape);
  for (size_t i = 0; i < rows; ++i, ++row) {
    const Piece& piece = PiecesOf(assignment, rows_fed[row]).front();
    PENSTOCK_RETURN_IF_ERROR(CheckLength(piece, scratch.rows.lengths[i]));
    const PlacedPiece placed = {piece,
                                {.examples = &scratch.rows.examples,
                                 .row = i,
                                 .in_place = &scratch.long_rows[i].in_place}};
    PENSTOCK_RETURN_IF_ERROR(
        job_->placer.Place({{&placed, 1}, {}, row}, locate, batch, cut_rows));
  }
  return true;
}

// Reads row `row` as one of those of BuildLong(), and returns how many bytes
// its record has.
std::optional<uint64_t> PlannedReader::TakeLong(const Assignment& assignment,
                                                size_t row, size_t end,
                                                Batch& batch,
                                                Scratch& scratch) const {
  if (PiecesOf(assignment, job_->RowsOf(batch.shape)[row]).size() != 1) {
    return std::nullopt;
  }
  const uint64_t record = batch.RecordsOf(row).front();
  Scratch::LongRow& to = scratch.long_rows[scratch.ids.size()];
  to.values.clear();
  for (const Placer::LongFeature& feature : job_->placer.long_features()) {
    const std::span<std::byte> place =
        batch.tensors[feature.tensor].bytes.subspan(row * feature.row_bytes,
                                                    feature.row_bytes);
    to.values.push_back(
        {.name = feature.name,
         .to = {reinterpret_cast<char*>(place.data()), place.size()}});
  }
  const auto after =
      std::span(batch.record_ids)
          .subspan(batch.row_offsets[row + 1],
                   batch.row_offsets[end] - batch.row_offsets[row + 1]);
  const auto size =
      files_->TakeLong(record, std::max(kChunkBytes, job_->max_record_bytes),
                       after, to.values, to.rest);
  if (!size) return std::nullopt;
  to.in_place.assign(job_->stages.batched.size(), false);
  for (size_t i = 0; i < to.values.size(); ++i) {
    to.in_place[job_->placer.long_features()[i].column] = to.values[i].found;
  }
  scratch.ids.push_back(record);
  scratch.rests.push_back(to.rest.example);
  return size;
}

}  // namespace penstock
