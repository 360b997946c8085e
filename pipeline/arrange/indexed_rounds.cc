#include "pipeline/arrange/indexed_rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace penstock {
namespace {

class IndexedRounds final : public RoundSource {
 public:
  IndexedRounds(std::shared_ptr<const RecordFiles> files, Order order,
                RoundOptions options)
      : files_(std::move(files)),
        order_(std::move(order)),
        options_(std::move(options)) {}

  Status Seek(const State& state) override {
    if (state.positions_read > order_.records()) {
      return FailedPreconditionError(
          fmt::format("the state has read {} positions of an epoch that has {}",
                      state.positions_read, order_.records()));
    }
    epoch_ = state.epoch;
    position_ = state.positions_read;
    pending_ = state.pending;
    return OkStatus();
  }

  StatusOr<std::optional<Round>> Next() override {
    if (options_.epochs != 0 && epoch_ >= options_.epochs) return std::nullopt;
    Round round;
    round.epoch = epoch_;
    if (!pending_.empty()) {
      round.positions = std::exchange(pending_, {});
    } else {
      round.positions.resize(
          std::min(options_.positions_per_shard * options_.shards,
                   order_.records() - position_));
      std::iota(round.positions.begin(), round.positions.end(), position_);
      position_ += round.positions.size();
      round.ends_epoch = position_ == order_.records();
    }
    round.positions_read = position_;
    for (const uint64_t position : round.positions) {
      if (!options_.mine[position % options_.shards]) continue;
      round.ids.push_back(position);
    }
    FillIds(round);
    if (round.ends_epoch) {
      ++epoch_;
      position_ = 0;
    }
    return std::optional<Round>(std::move(round));
  }

  Status Load(Round& round) const override {
    return files_->Gather(round.ids, round.records);
  }

  std::string Locate(uint64_t record_id) const override {
    return files_->Locate(record_id);
  }

  uint64_t BufferBytes() const override { return 0; }

 private:
  // Replaces positions by record ids, a run of positions at a time.
  void FillIds(Round& round) {
    if (round.ids.empty()) return;
    const uint64_t first = round.ids.front();
    const uint64_t span = round.ids.back() - first + 1;
    if (span > 4 * options_.shards * round.ids.size()) {  // pending, far apart
      for (uint64_t& id : round.ids) id = order_.RecordAt(epoch_, id);
      return;
    }
    all_ids_.resize(span);
    order_.Fill(epoch_, first, all_ids_);
    for (uint64_t& id : round.ids) id = all_ids_[id - first];
  }

  const std::shared_ptr<const RecordFiles> files_;
  const Order order_;
  const RoundOptions options_;
  uint64_t epoch_ = 0;
  uint64_t position_ = 0;  // the next to read
  std::vector<uint64_t> pending_;
  std::vector<uint64_t> all_ids_;
};

}  // namespace

std::unique_ptr<RoundSource> MakeIndexedRounds(
    std::shared_ptr<const RecordFiles> files, Order order,
    RoundOptions options) {
  return std::make_unique<IndexedRounds>(std::move(files), std::move(order),
                                         std::move(options));
}

}  // namespace penstock
