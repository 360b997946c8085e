#include "pipeline/run/streamed_work.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/build/row_store.h"

namespace penstock {
namespace {

class StreamedWork final : public BatchWork {
 public:
  StreamedWork(std::shared_ptr<const Job> job,
               std::shared_ptr<const RoundSource> source, FedStep fed,
               Batch made)
      : job_(std::move(job)), source_(std::move(source)), fed_(std::move(fed)) {
    batch = std::move(made);
    const uint64_t row_bytes =
        std::max<uint64_t>(1, job_->contract().RowBytes(batch.shape));
    rows_of_part_ = std::clamp<uint64_t>(kChunkBytes / row_bytes, 16, 4096);
    parts_left_ = parts();
  }

  size_t parts() const override {
    return (batch.rows() + rows_of_part_ - 1) / rows_of_part_;
  }

  Status Begin() override { return job_->GiveMemory(batch); }

  StatusOr<bool> BuildPart(size_t part, bool) override {
    const Locate locate = [this](uint64_t id) {
      return source_->Locate(job_->row_ids.RecordOf(id));
    };
    const size_t begin = part * rows_of_part_;
    const size_t end = std::min(batch.rows(), begin + rows_of_part_);
    StageAccount& account = job_->accounts->build;
    account.Count(end - begin,
                  job_->contract().RowBytes(batch.shape) * (end - begin));
    const StageTimer timer(account);
    std::vector<PlacedPiece> placed;
    uint64_t cut = 0;
    const std::vector<uint32_t>& rows = job_->RowsOf(batch.shape);
    for (size_t row = begin; row < end; ++row) {
      placed.clear();
      size_t source = batch.row_offsets[row];
      for (const Piece& piece : PiecesOf(fed_.step.assignment, rows[row])) {
        const StoredRow& from = fed_.sources[source++];
        placed.push_back({piece, {from.examples, from.row, from.begin}});
      }
      PENSTOCK_RETURN_IF_ERROR(
          job_->placer.Place(placed, row, locate, batch, cut));
    }
    cut_rows += cut;
    // Rows go as soon as they are placed, to where those that are decoded next
    // get their memory.
    if (--parts_left_ == 0) fed_ = {};
    return true;
  }

 private:
  const std::shared_ptr<const Job> job_;
  const std::shared_ptr<const RoundSource> source_;
  FedStep fed_;
  size_t rows_of_part_ = 1;
  std::atomic<size_t> parts_left_ = 0;
};

}  // namespace

std::shared_ptr<BatchWork> MakeStreamedWork(
    std::shared_ptr<const Job> job, std::shared_ptr<const RoundSource> source,
    FedStep fed, Batch batch) {
  return std::make_shared<StreamedWork>(std::move(job), std::move(source),
                                        std::move(fed), std::move(batch));
}

}  // namespace penstock
