#include "pipeline/run/planned_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "formats/example/example_parser.h"
#include "pipeline/read/rounds.h"

namespace penstock {
namespace {

// So that all that is left of them is no more than a chunk.
constexpr size_t kLongRowsAtOnce = kChunkBytes / (2 * ExampleRest::kMostBytes);

}  // namespace

// Memory that one task leaves for the next.
struct PlannedReader::Scratch {
  // A row of one record whose long values are in the batch.
  struct LongRow {
    ExampleRest rest;
    std::vector<LongValue> values;
    std::vector<bool> in_place;  // RowRef::in_place
  };

  GatheredRecords gathered;
  std::vector<uint64_t> ids;  // a record that follows itself comes once
  std::vector<size_t> ends;   // [rows]: how many ids rows up to it need
  DecodeScratch decode;
  DecodedRows rows;
  std::vector<PlacedPiece> placed;
  std::array<LongRow, kLongRowsAtOnce> long_rows;
  std::vector<std::string_view> rests;
};

PlannedReader::PlannedReader(std::shared_ptr<const Job> job,
                             std::shared_ptr<const SourceRecords> files,
                             LengthTable lengths, uint64_t records_of_row)
    : job_(std::move(job)),
      files_(std::move(files)),
      lengths_(std::move(lengths)),
      rows_at_once_(std::clamp<uint64_t>(
          kPartBytes /
              std::max<uint64_t>(
                  1, records_of_row * files_->size_bytes() / files_->records()),
          job_->stages.pack ? 4 : 16, 4096)),
      takes_long_(!job_->placer.long_features().empty() &&
                  job_->decoder.KeepsBytes()) {}

PlannedReader::~PlannedReader() = default;

StatusOr<bool> PlannedReader::Build(const Assignment& assignment, bool alone,
                                    size_t end, size_t& row, Batch& batch,
                                    uint64_t& cut_rows) const {
  std::unique_ptr<Scratch> scratch = unused_.Borrow();
  if (takes_long_ && !alone) {
    PENSTOCK_ASSIGN_OR_RETURN(
        const bool built,
        BuildLong(assignment, end, row, batch, cut_rows, *scratch));
    if (built) {
      unused_.Return(std::move(scratch));
      return true;
    }
  }
  PENSTOCK_ASSIGN_OR_RETURN(const size_t rows,
                            CountRows(batch, row, end, alone, *scratch));
  if (rows == 0) return false;
  end = row + rows;
  PENSTOCK_RETURN_IF_ERROR(
      Read(std::span(scratch->ids).first(scratch->ends[rows - 1]), batch.epoch,
           *scratch));
  const Locate locate = [this](uint64_t id) { return files_->Locate(id); };
  const StageTimer timer(job_->accounts->build);
  job_->accounts->build.Count(
      end - row, job_->contract().RowBytes(batch.shape) * (end - row));
  const std::vector<uint32_t>& rows_fed = job_->RowsOf(batch.shape);
  for (size_t next = 0; row < end; ++row) {
    scratch->placed.clear();
    for (const Piece& piece : PiecesOf(assignment, rows_fed[row])) {
      if (next == 0 || scratch->ids[next - 1] != piece.record) ++next;
      PENSTOCK_RETURN_IF_ERROR(
          CheckLength(piece, scratch->rows.lengths[next - 1]));
      scratch->placed.push_back({piece, {&scratch->rows.examples, next - 1}});
    }
    PENSTOCK_RETURN_IF_ERROR(
        job_->placer.Place(scratch->placed, row, locate, batch, cut_rows));
  }
  // What a large record needed is not kept.
  if (!alone) unused_.Return(std::move(scratch));
  return true;
}

// How many rows, each with all its records, are read at once. 0 where those of
// one are too many bytes, unless `alone`.
StatusOr<size_t> PlannedReader::CountRows(const Batch& batch, size_t row,
                                          size_t end, bool alone,
                                          Scratch& scratch) const {
  std::vector<uint64_t>& ids = scratch.ids;
  std::vector<size_t>& ends = scratch.ends;
  ids.clear();
  ends.clear();
  for (size_t r = row; r < end; ++r) {
    for (const uint64_t id : batch.RecordsOf(r)) {
      if (ids.empty() || ids.back() != id) ids.push_back(id);
    }
    ends.push_back(ids.size());
  }
  if (ids.empty()) return ends.size();
  PENSTOCK_ASSIGN_OR_RETURN(GatherBound bound,
                            files_->CountWithin(ids, kStretchBytes));
  // Large rows, and members of gzip files, which are inflated once for all.
  if (bound.bytes > kStretchBytes || bound.records < ends[0]) {
    PENSTOCK_ASSIGN_OR_RETURN(bound, files_->CountWithin(ids, kChunkBytes));
  }
  if (bound.bytes > kChunkBytes || bound.records < ends[0]) {
    if (!alone) return size_t{0};
    const uint64_t most = std::max(kChunkBytes, job_->max_record_bytes);
    PENSTOCK_ASSIGN_OR_RETURN(
        bound, files_->CountWithin(std::span(ids).first(ends[0]), most));
    if (bound.bytes > most || bound.records < ends[0]) {
      return RecordTooLarge(files_->Locate(ids.front()), bound.bytes,
                            job_->max_record_bytes);
    }
  }
  size_t rows = 1;
  while (rows < ends.size() && ends[rows] <= bound.records) ++rows;
  return rows;
}

Status PlannedReader::Read(std::span<const uint64_t> ids, uint64_t epoch,
                           Scratch& scratch) const {
  scratch.rows.Clear();
  if (ids.empty()) return OkStatus();
  {
    const StageTimer timer(job_->accounts->read);
    PENSTOCK_RETURN_IF_ERROR(files_->Gather(ids, scratch.gathered));
  }
  return job_->Decode(
      scratch.gathered.records, BytesOf(scratch.gathered.records), ids, epoch,
      [this](uint64_t id) { return files_->Locate(id); }, scratch.decode,
      scratch.rows);
}

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
    PENSTOCK_RETURN_IF_ERROR(job_->placer.Place(std::span(&placed, 1), row,
                                                locate, batch, cut_rows));
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

namespace {

// The command that makes the index of this feature.
std::string IndexCommand(const Stages& stages, size_t source) {
  const RecordFeature by = stages.length_column();
  const SourceStages& all = stages.sources[source];
  const std::vector<Feature>& features =
      all.sides.empty() ? all.features : all.sides[by.sides[source]].features;
  std::string command = fmt::format("recordtool index --length-of {}", by.name);
  const auto found = std::ranges::find(features, by.name, &Feature::name);
  if (found != features.end() && found->encoding != FeatureEncoding::kPlain) {
    command += fmt::format(" --token-encoding {}",
                           FeatureEncodingName(found->encoding));
  }
  return command;
}

}  // namespace

// An index that tells other lengths than the records have would put rows into
// wrong buckets and cut them without a word.
Status PlannedReader::CheckLength(const Piece& piece, uint32_t found) const {
  if (found == piece.length || lengths_.columns().empty()) return OkStatus();
  const uint32_t told = lengths_(piece.record);
  if (found == told) return OkStatus();  // and was cut
  const Stages& stages = job_->stages;
  if (stages.grid()) {
    return FailedPreconditionError(fmt::format(
        "{}: the lengths of its features are not those of the index: write it "
        "again with `recordtool index --length-of` for each of {}",
        files_->Locate(piece.record), fmt::join(stages.arranging(), ", ")));
  }
  return FailedPreconditionError(fmt::format(
      "{}: feature \"{}\" has {} values, but the index says {}: write the "
      "index again with `{}`",
      files_->Locate(piece.record), job_->stages.by(), found, told,
      IndexCommand(job_->stages, job_->SourceOf(piece.record))));
}

}  // namespace penstock
