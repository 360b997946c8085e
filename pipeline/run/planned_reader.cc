#include "pipeline/run/planned_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "pipeline/read/rounds.h"
#include "pipeline/run/in_place_rows.h"
#include "pipeline/run/planned_scratch.h"

namespace penstock {

namespace {

// The records of some rows, one that follows itself once, and how many those up
// to each row have.
void IdsOfRows(const Batch& batch, size_t row, size_t end,
               std::vector<uint64_t>& ids, std::vector<size_t>& ends) {
  const auto offsets = std::span(batch.row_offsets).subspan(row, end - row + 1);
  const auto all =
      std::span(batch.record_ids)
          .subspan(offsets.front(), offsets.back() - offsets.front());
  ends.resize(end - row);
  if (std::ranges::adjacent_find(all) == all.end()) {
    ids.assign(all.begin(), all.end());
    for (size_t i = 0; i < ends.size(); ++i) {
      ends[i] = offsets[i + 1] - offsets.front();
    }
    return;
  }
  ids.clear();
  for (size_t i = 0; i < ends.size(); ++i) {
    for (const uint64_t id : batch.RecordsOf(row + i)) {
      if (ids.empty() || ids.back() != id) ids.push_back(id);
    }
    ends[i] = ids.size();
  }
}

}  // namespace

PlannedReader::PlannedReader(std::shared_ptr<const Job> job,
                             std::shared_ptr<const SourceRecords> files,
                             LengthTable lengths, uint64_t records_of_row)
    : job_(std::move(job)),
      files_(std::move(files)),
      in_place_(RowsInPlace(*job_, *files_)),
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
  if (in_place_) {
    PENSTOCK_RETURN_IF_ERROR(
        BuildInPlace(assignment, end, row, batch, cut_rows));
    return true;
  }
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
      Read(scratch->ends[rows - 1], batch.epoch, *scratch));
  const Locate locate = [this](uint64_t id) { return files_->Locate(id); };
  const StageTimer timer(job_->accounts->build);
  job_->accounts->build.Count(
      end - row, job_->contract().RowBytes(batch.shape) * (end - row));
  const std::vector<uint32_t>& rows_fed = job_->RowsOf(batch.shape);
  for (size_t next = 0; row < end;) {
    RowBlock& placed = scratch->placed;
    placed.Begin(row);
    for (; row < end && !placed.full(); ++row) {
      for (const Piece& piece : PiecesOf(assignment, rows_fed[row])) {
        if (next == 0 || scratch->ids[next - 1] != piece.record) ++next;
        Status right = CheckLength(piece, scratch->rows.lengths[next - 1]);
        if (!right.ok()) {
          placed.DropPieces();  // an error of a row before comes first
          PENSTOCK_RETURN_IF_ERROR(
              job_->placer.Place(placed.rows(), locate, batch, cut_rows));
          return right;
        }
        placed.Add(piece, {&scratch->rows.examples, next - 1});
      }
      placed.EndRow();
    }
    PENSTOCK_RETURN_IF_ERROR(
        job_->placer.Place(placed.rows(), locate, batch, cut_rows));
  }
  // What a large record needed is not kept.
  if (!alone) unused_.Return(std::move(scratch));
  return true;
}

// What is in memory is neither read nor decoded.
Status PlannedReader::BuildInPlace(const Assignment& assignment, size_t end,
                                   size_t& row, Batch& batch,
                                   uint64_t& cut_rows) const {
  std::unique_ptr<Scratch> scratch = unused_.Borrow();
  const Locate locate = [this](uint64_t id) { return files_->Locate(id); };
  const StageTimer timer(job_->accounts->build);
  job_->accounts->build.Count(
      end - row, job_->contract().RowBytes(batch.shape) * (end - row));
  const std::vector<uint32_t>& rows_fed = job_->RowsOf(batch.shape);
  uint64_t records = 0;
  while (row < end) {
    RowBlock& placed = scratch->placed;
    placed.Begin(row);
    for (; row < end && !placed.full(); ++row) {
      for (const Piece& piece : PiecesOf(assignment, rows_fed[row])) {
        in_place_->Prefetch(piece.record, piece.begin);
        const TableRow from = in_place_->Find(piece.record);
        placed.Add(
            piece,
            {.examples = from.columns, .row = from.row, .columns = from.used});
        ++records;
      }
      placed.EndRow();
    }
    PENSTOCK_RETURN_IF_ERROR(
        job_->placer.Place(placed.rows(), locate, batch, cut_rows));
  }
  job_->accounts->read.Count(records, 0);
  job_->accounts->decode.Count(records, 0);
  unused_.Return(std::move(scratch));
  return OkStatus();
}

// How many rows, each with all its records, are read at once. 0 where those of
// one are too many bytes, unless `alone`.
StatusOr<size_t> PlannedReader::CountRows(const Batch& batch, size_t row,
                                          size_t end, bool alone,
                                          Scratch& scratch) const {
  std::vector<uint64_t>& ids = scratch.ids;
  std::vector<size_t>& ends = scratch.ends;
  IdsOfRows(batch, row, end, ids, ends);
  if (ids.empty()) return ends.size();
  PENSTOCK_ASSIGN_OR_RETURN(
      GatherBound bound, files_->FindWithin(ids, kStretchBytes, scratch.found));
  // Large rows, and members of gzip files, which are inflated once for all.
  if (bound.bytes > kStretchBytes || bound.records < ends[0]) {
    PENSTOCK_ASSIGN_OR_RETURN(
        bound, files_->FindWithin(ids, kChunkBytes, scratch.found));
  }
  if (bound.bytes > kChunkBytes || bound.records < ends[0]) {
    if (!alone) return size_t{0};
    const uint64_t most = std::max(kChunkBytes, job_->max_record_bytes);
    PENSTOCK_ASSIGN_OR_RETURN(
        bound,
        files_->FindWithin(std::span(ids).first(ends[0]), most, scratch.found));
    if (bound.bytes > most || bound.records < ends[0]) {
      return RecordTooLarge(files_->Locate(ids.front()), bound.bytes,
                            job_->max_record_bytes);
    }
  }
  size_t rows = 1;
  while (rows < ends.size() && ends[rows] <= bound.records) ++rows;
  return rows;
}

// The first `count` records that were found.
Status PlannedReader::Read(size_t count, uint64_t epoch,
                           Scratch& scratch) const {
  scratch.rows.Clear();
  if (count == 0) return OkStatus();
  {
    const StageTimer timer(job_->accounts->read);
    PENSTOCK_RETURN_IF_ERROR(files_->GatherFound(
        std::span(scratch.found).first(count), scratch.gathered));
  }
  return job_->Decode(
      scratch.gathered.records, BytesOf(scratch.gathered.records),
      std::span(scratch.ids).first(count), epoch,
      [this](uint64_t id) { return files_->Locate(id); }, scratch.decode,
      scratch.rows);
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
