#include "pipeline/run/open_batches.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace penstock {

uint64_t OpenBatches::MostBytes(const Job& job, const Arranger& arranger) {
  uint64_t bytes = 0;
  for (size_t queue = 0; queue < arranger.queues(); ++queue) {
    // A user may allow batches that no machine has.
    bytes += std::min(job.BatchBytes(queue, job.RowsOf(queue).size(), 0),
                      std::numeric_limits<uint64_t>::max() - bytes);
  }
  return bytes;
}

OpenBatches::OpenBatches(std::shared_ptr<const Job> job,
                         std::shared_ptr<const RoundSource> source)
    : job_(std::move(job)), source_(std::move(source)) {}

OpenBatches::Open OpenBatches::Begin(size_t shape, uint64_t epoch,
                                     BatchRing& ring) const {
  auto work = std::make_shared<StreamedWork>(job_, source_, shape, epoch);
  auto slot = ring.Open(work);
  return {.work = std::move(work), .slot = std::move(slot)};
}

void OpenBatches::Place(const Steps& steps, const RowExchange& exchange,
                        RowStore& store, BatchRing& ring,
                        const std::shared_ptr<TaskHome>& home) {
  const Arranger& arranger = steps.arranger();
  open_.resize(arranger.queues());
  for (size_t queue = 0; queue < open_.size(); ++queue) {
    const std::span<const Piece> waiting = arranger.WaitingOf(queue);
    Open& open = open_[queue];
    if (waiting.size() < open.rows) open = {};  // they were dropped
    const std::vector<uint32_t>& rows = job_->RowsOf(queue);
    const auto fed = [&](size_t row) {
      return static_cast<size_t>(std::ranges::lower_bound(rows, row) -
                                 rows.begin());
    };
    size_t row = fed(open.rows);
    const size_t end = fed(waiting.size());
    if (row < end && open.work == nullptr) {
      open = Begin(queue, steps.now().epoch, ring);
    }
    open.rows = waiting.size();
    while (row < end) {
      EarlyRows early = {.begin = row};
      bool any = false;
      const size_t last = std::min(end, row + open.work->rows_of_part());
      early.rows.reserve(last - row);
      for (; row < last; ++row) {
        const Piece& piece = waiting[rows[row]];
        EarlyRow& placed = early.rows.emplace_back();
        const RowPlace place = RowPlace::Of(piece.tag);
        if (place.host != job_->topology.host ||
            !exchange.OnlyMine(queue, rows[row])) {
          continue;
        }
        const StoredRow from = store.Find(place.slot);
        placed = {from.examples, piece.record, from.row, piece.length};
        early.owners.Add(store.OwnerOf(place.slot));
        store.Empty(place.slot);
        any = true;
      }
      if (!any) continue;
      ring.Start(open.slot, open.work->Early(std::move(early)), home);
    }
  }
}

void OpenBatches::Push(FedStep fed, uint64_t bytes, BatchRing& ring,
                       const std::shared_ptr<TaskHome>& home) {
  const size_t shape = fed.step.assignment.shape;
  Open open;
  if (shape < open_.size()) open = std::exchange(open_[shape], {});
  if (open.work == nullptr) open = Begin(shape, fed.step.epoch, ring);
  open.work->Complete(std::move(fed));
  ring.Push(bytes, open.slot, home);
}

}  // namespace penstock
