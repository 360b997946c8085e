#include "pipeline/run/streamed_work.h"

#include <algorithm>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

bool WasEarly(std::span<const StoredRow> sources) {
  return std::ranges::any_of(
      sources, [](const StoredRow& from) { return from.examples == nullptr; });
}

// Rows of a batch that go to their places in blocks.
class RowsPlacer {
 public:
  // All are borrowed.
  RowsPlacer(const Job& job, const Locate& locate, Batch& batch)
      : job_(job), locate_(locate), batch_(batch) {}

  // Behind all rows before.
  Status BeginRow(size_t row) {
    if (row != next_ || block_.full()) {
      PENSTOCK_RETURN_IF_ERROR(Place());
      block_.Begin(row);
    }
    next_ = row + 1;
    return OkStatus();
  }
  void Add(const Piece& piece, const RowRef& from) { block_.Add(piece, from); }
  void EndRow() { block_.EndRow(); }
  // How many of all rows were cut.
  StatusOr<uint64_t> Finish() {
    PENSTOCK_RETURN_IF_ERROR(Place());
    const uint64_t row_bytes = job_.contract().RowBytes(batch_.shape);
    job_.accounts->build.Count(placed_, row_bytes * placed_);
    return cut_;
  }

 private:
  Status Place() {
    placed_ += block_.rows().size();
    return job_.placer.Place(block_.rows(), locate_, batch_, cut_);
  }

  const Job& job_;
  const Locate& locate_;
  Batch& batch_;
  RowBlock block_;
  size_t next_ = 0;
  uint64_t placed_ = 0;
  uint64_t cut_ = 0;
};

}  // namespace

StreamedWork::StreamedWork(std::shared_ptr<const Job> job,
                           std::shared_ptr<const RoundSource> source,
                           size_t shape, uint64_t epoch)
    : job_(std::move(job)),
      source_(std::move(source)),
      rows_(job_->RowsOf(shape).size()) {
  batch.shape = shape;
  batch.epoch = epoch;
  const uint64_t row_bytes =
      std::max<uint64_t>(1, job_->contract().RowBytes(shape));
  rows_of_part_ = std::clamp<uint64_t>(kChunkBytes / row_bytes, 16, 4096);
}

BatchRing::Part StreamedWork::Early(EarlyRows rows) {
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    if (rows.rows[i].examples == nullptr) break;
    if (first_left_ == rows.begin + i) ++first_left_;
  }
  // As a copy of what is called copies all that it has.
  auto early = std::make_shared<const EarlyRows>(std::move(rows));
  return [this, early = std::move(early)](bool) -> StatusOr<bool> {
    PENSTOCK_RETURN_IF_ERROR(PlaceEarly(*early));
    return true;
  };
}

void StreamedWork::Complete(FedStep fed) {
  fed_ = std::move(fed);
  job_->Describe(fed_.step, batch);
  parts_left_ = parts();
}

StatusOr<bool> StreamedWork::BuildPart(size_t part, bool) {
  const size_t begin = first_left_ + part * rows_of_part_;
  PENSTOCK_RETURN_IF_ERROR(
      PlaceLeft(begin, std::min(rows_, begin + rows_of_part_)));
  // Rows go as soon as they are placed, to where those that are decoded next
  // get their memory.
  if (--parts_left_ == 0) fed_ = {};
  return true;
}

Status StreamedWork::PlaceEarly(const EarlyRows& early) {
  const Locate locate = [this](uint64_t id) { return WhereIs(id); };
  const StageTimer timer(job_->accounts->build);
  RowsPlacer placer(*job_, locate, batch);
  for (size_t i = 0; i < early.rows.size(); ++i) {
    const EarlyRow& row = early.rows[i];
    if (row.examples == nullptr) continue;
    PENSTOCK_RETURN_IF_ERROR(placer.BeginRow(early.begin + i));
    placer.Add({.record = row.record, .length = row.length},
               {.examples = row.examples, .row = row.row});
    placer.EndRow();
  }
  PENSTOCK_ASSIGN_OR_RETURN(const uint64_t cut, placer.Finish());
  cut_rows += cut;
  return OkStatus();
}

Status StreamedWork::PlaceLeft(size_t begin, size_t end) {
  const Locate locate = [this](uint64_t id) { return WhereIs(id); };
  const StageTimer timer(job_->accounts->build);
  RowsPlacer placer(*job_, locate, batch);
  const std::vector<uint32_t>& rows = job_->RowsOf(batch.shape);
  for (size_t row = begin; row < end; ++row) {
    const std::span<const Piece> pieces =
        PiecesOf(fed_.step.assignment, rows[row]);
    const std::span<const StoredRow> sources =
        fed_.SourcesOf(batch.row_offsets[row], pieces.size());
    if (sources.size() < pieces.size() || WasEarly(sources)) continue;
    PENSTOCK_RETURN_IF_ERROR(placer.BeginRow(row));
    for (size_t i = 0; i < pieces.size(); ++i) {
      const StoredRow& from = sources[i];
      placer.Add(pieces[i], {from.examples, from.row, from.begin});
    }
    placer.EndRow();
  }
  PENSTOCK_ASSIGN_OR_RETURN(const uint64_t cut, placer.Finish());
  cut_rows += cut;
  return OkStatus();
}

}  // namespace penstock
