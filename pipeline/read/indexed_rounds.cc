#include "pipeline/read/indexed_rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pipeline/tasks/cancelled.h"

namespace penstock {
namespace {

class IndexedRounds final : public RoundSource {
 public:
  IndexedRounds(std::shared_ptr<const SourceRecords> files,
                std::shared_ptr<const Order> order, RoundOptions options)
      : files_(std::move(files)),
        order_(std::move(order)),
        options_(std::move(options)) {}

  Status Seek(const State& state) override;
  StatusOr<std::optional<Round>> Next(const std::stop_token& stop) override;
  StatusOr<bool> Load(const Round& round, size_t begin,
                      std::span<const uint64_t> ids, uint64_t limit_bytes,
                      bool alone, LoadScratch& scratch,
                      std::vector<std::string_view>& records) const override;

  std::string Locate(uint64_t record_id) const override {
    return files_->Locate(record_id);
  }
  std::vector<UnitPlace> UnitsOf(const State&) const override { return {}; }
  // Load() brings them, a part at a time.
  uint64_t NextBytes() const override { return 0; }
  uint64_t BufferBytes() const override { return 0; }

 private:
  const std::shared_ptr<const SourceRecords> files_;
  const std::shared_ptr<const Order> order_;
  const RoundOptions options_;
  uint64_t epoch_ = 0;
  uint64_t position_ = 0;  // the next to read
  std::vector<uint64_t> held_;
};

Status IndexedRounds::Seek(const State& state) {
  if (state.position > order_->records()) {
    return FailedPreconditionError(
        fmt::format("the state has taken {} records of an epoch that has {}",
                    state.position, order_->records()));
  }
  for (const HeldPiece& piece : state.held) {
    if (piece.record >= order_->id_limit()) {
      return FailedPreconditionError(
          fmt::format("record {} waits in the state, but there are only {}",
                      piece.record, order_->id_limit()));
    }
    held_.push_back(piece.record);
  }
  epoch_ = state.epoch;
  position_ = state.position;
  return OkStatus();
}

StatusOr<std::optional<Round>> IndexedRounds::Next(
    const std::stop_token& stop) {
  if (stop.stop_requested()) {
    return PipelineCancelled();
  }
  if (options_.epochs != 0 && epoch_ >= options_.epochs) return std::nullopt;
  Round round;
  round.epoch = epoch_;
  uint64_t first = 0;
  if (!held_.empty()) {
    round.held = true;
    round.records = std::exchange(held_, {});
  } else {
    first = position_;
    round.records.resize(
        std::min(options_.rows, order_->records() - position_));
    order_->Fill(epoch_, position_, round.records);
    position_ += round.records.size();
    round.ends_epoch = position_ == order_->records();
  }
  DealRows(options_, first, round);
  if (round.ends_epoch) {
    ++epoch_;
    position_ = 0;
  }
  return std::optional<Round>(std::move(round));
}

StatusOr<bool> IndexedRounds::Load(
    const Round&, size_t, std::span<const uint64_t> ids, uint64_t limit_bytes,
    bool alone, LoadScratch& scratch,
    std::vector<std::string_view>& records) const {
  std::vector<FoundRecord>& found = scratch.found;
  const uint64_t stretch = std::min(kStretchBytes, limit_bytes);
  PENSTOCK_ASSIGN_OR_RETURN(GatherBound bound,
                            files_->FindWithin(ids, stretch, found));
  // Large records, and members of gzip files, which are inflated once for all.
  if (bound.bytes > stretch) {
    PENSTOCK_ASSIGN_OR_RETURN(bound,
                              files_->FindWithin(ids, limit_bytes, found));
  }
  if (bound.bytes > limit_bytes && !alone) return false;
  if (bound.bytes > std::max(limit_bytes, options_.max_record_bytes)) {
    return RecordTooLarge(files_->Locate(ids.front()), bound.bytes,
                          options_.max_record_bytes);
  }
  PENSTOCK_RETURN_IF_ERROR(files_->GatherFound(found, scratch.gathered));
  records = scratch.gathered.records;
  return true;
}

}  // namespace

std::unique_ptr<RoundSource> MakeIndexedRounds(
    std::shared_ptr<const SourceRecords> files,
    std::shared_ptr<const Order> order, RoundOptions options) {
  return std::make_unique<IndexedRounds>(std::move(files), std::move(order),
                                         std::move(options));
}

}  // namespace penstock
