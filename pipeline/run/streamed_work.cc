#include "pipeline/run/streamed_work.h"

#include <algorithm>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {

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
    if (rows.rows[i].from.examples == nullptr) break;
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
  const auto is_there = [](const PlacedPiece& row) {
    return row.from.examples != nullptr;
  };
  uint64_t placed = 0;
  uint64_t cut = 0;
  for (auto at = early.rows.begin(); at != early.rows.end();) {
    const auto begin = std::find_if(at, early.rows.end(), is_there);
    at = std::find_if_not(begin, early.rows.end(), is_there);
    const size_t first = early.begin + (begin - early.rows.begin());
    PENSTOCK_RETURN_IF_ERROR(
        job_->placer.Place({{begin, at}, {}, first}, locate, batch, cut));
    placed += at - begin;
  }
  job_->accounts->build.Count(placed,
                              job_->contract().RowBytes(batch.shape) * placed);
  cut_rows += cut;
  return OkStatus();
}

Status StreamedWork::PlaceLeft(size_t begin, size_t end) {
  const Locate locate = [this](uint64_t id) { return WhereIs(id); };
  const StageTimer timer(job_->accounts->build);
  RowBlock block;
  uint64_t placed = 0;
  uint64_t cut = 0;
  const std::vector<uint32_t>& rows = job_->RowsOf(batch.shape);
  const auto place = [&] {
    placed += block.rows().size();
    return job_->placer.Place(block.rows(), locate, batch, cut);
  };
  block.Begin(begin);
  for (size_t row = begin; row < end; ++row) {
    const std::span<const Piece> pieces =
        PiecesOf(fed_.step.assignment, rows[row]);
    const auto sources =
        std::span(fed_.sources).subspan(batch.row_offsets[row], pieces.size());
    const bool early = std::ranges::any_of(sources, [](const StoredRow& from) {
      return from.examples == nullptr;
    });
    if (early || block.full()) {
      PENSTOCK_RETURN_IF_ERROR(place());
      block.Begin(early ? row + 1 : row);
      if (early) continue;
    }
    for (size_t i = 0; i < pieces.size(); ++i) {
      const StoredRow& from = sources[i];
      block.Add(pieces[i], {from.examples, from.row, from.begin});
    }
    block.EndRow();
  }
  PENSTOCK_RETURN_IF_ERROR(place());
  job_->accounts->build.Count(placed,
                              job_->contract().RowBytes(batch.shape) * placed);
  cut_rows += cut;
  return OkStatus();
}

}  // namespace penstock
