#include "pipeline/arrange/sequential_rounds.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "formats/files/status_or.h"
#include "pipeline/order/record_sequence.h"

namespace penstock {
namespace {

struct NumberedRecord {
  uint64_t id = 0;
  std::string_view bytes;
};

// The records of one window, in their shuffled order.
class Window {
 public:
  bool empty() const { return used_ == order_.size(); }

  // The view lives until Load().
  NumberedRecord Take() {
    const uint64_t i = order_[used_++];
    return {first_ + i,
            std::string_view(bytes_).substr(ends_[i], ends_[i + 1] - ends_[i])};
  }

  // Reads window number `window`; fewer records only at the end of the data.
  Status Load(const OrderOptions& options, uint64_t epoch, uint64_t window,
              RecordSequence& sequence) {
    first_ = window * options.window_records;
    used_ = 0;
    bytes_.clear();
    ends_ = {0};
    while (ends_.size() <= options.window_records) {
      PENSTOCK_ASSIGN_OR_RETURN(const auto record, sequence.Next());
      if (!record) break;
      bytes_.append(*record);
      ends_.push_back(bytes_.size());
    }
    order_.resize(ends_.size() - 1);
    if (!order_.empty()) {
      FillWindow(options, epoch, window, order_.size(), 0, order_);
    }
    return OkStatus();
  }

 private:
  uint64_t first_ = 0;  // record id of the first
  std::string bytes_;
  std::vector<size_t> ends_ = {0};  // [records + 1] into bytes_
  std::vector<uint64_t> order_;
  size_t used_ = 0;
};

// Copies records into a round.
class RoundFiller {
 public:
  explicit RoundFiller(Round& round) : round_(round) {}

  void Add(const NumberedRecord& record) {
    round_.ids.push_back(record.id);
    round_.records.bytes.insert(round_.records.bytes.end(),
                                record.bytes.begin(), record.bytes.end());
    ends_.push_back(round_.records.bytes.size());
  }

  // Views can be made only once the bytes stay where they are.
  void Finish() {
    size_t begin = 0;
    for (const size_t end : ends_) {
      round_.records.records.emplace_back(round_.records.bytes.data() + begin,
                                          end - begin);
      begin = end;
    }
  }

 private:
  Round& round_;
  std::vector<size_t> ends_;
};

class SequentialRounds final : public RoundSource {
 public:
  SequentialRounds(FileSystem& files, std::vector<std::string> paths,
                   OpenOptions open, OrderOptions order, uint64_t files_bytes,
                   RoundOptions options)
      : order_(order),
        files_bytes_(files_bytes),
        options_(std::move(options)),
        sequence_(files, std::move(paths), std::move(open)) {}

  Status Seek(const State& state) override {
    epoch_ = state.epoch;
    skip_to_ = state.positions_read;
    pending_ = state.pending;
    return OkStatus();
  }

  StatusOr<std::optional<Round>> Next() override;
  // Next() has read them.
  Status Load(Round&) const override { return OkStatus(); }
  std::string Locate(uint64_t record_id) const override {
    return sequence_.Locate(record_id);
  }
  uint64_t BufferBytes() const override {
    return order_.shuffle ? files_bytes_ : 0;
  }

 private:
  // The record at position_, which it moves on; nullopt at the epoch's end.
  StatusOr<std::optional<NumberedRecord>> Take();
  Status Skip(Round& round);
  Status EndEpoch();
  bool Mine(uint64_t position) const {
    return options_.mine[position % options_.shards];
  }

  const OrderOptions order_;
  const uint64_t files_bytes_;
  const RoundOptions options_;
  RecordSequence sequence_;
  Window window_;
  uint64_t epoch_ = 0;
  uint64_t position_ = 0;  // the next to read
  uint64_t skip_to_ = 0;
  std::vector<uint64_t> pending_;
  std::optional<uint64_t> records_;  // of an epoch, once one has ended
};

StatusOr<std::optional<NumberedRecord>> SequentialRounds::Take() {
  if (!order_.shuffle) {
    PENSTOCK_ASSIGN_OR_RETURN(const auto record, sequence_.Next());
    if (!record) return std::nullopt;
    return std::optional<NumberedRecord>({position_++, *record});
  }
  if (window_.empty()) {
    PENSTOCK_RETURN_IF_ERROR(window_.Load(
        order_, epoch_, position_ / order_.window_records, sequence_));
    if (window_.empty()) return std::nullopt;
  }
  ++position_;
  return std::optional<NumberedRecord>(window_.Take());
}

StatusOr<std::optional<Round>> SequentialRounds::Next() {
  if (options_.epochs != 0 && epoch_ >= options_.epochs) return std::nullopt;
  Round round;
  round.epoch = epoch_;
  if (position_ < skip_to_) {
    PENSTOCK_RETURN_IF_ERROR(Skip(round));
    if (!round.positions.empty()) return std::optional<Round>(std::move(round));
  }
  RoundFiller filler(round);
  const uint64_t size = options_.positions_per_shard * options_.shards;
  while (round.positions.size() < size) {
    const uint64_t position = position_;
    PENSTOCK_ASSIGN_OR_RETURN(const auto record, Take());
    if (!record) {
      round.ends_epoch = true;
      break;
    }
    round.positions.push_back(position);
    if (Mine(position)) filler.Add(*record);
  }
  filler.Finish();
  round.positions_read = position_;
  if (round.ends_epoch) PENSTOCK_RETURN_IF_ERROR(EndEpoch());
  return std::optional<Round>(std::move(round));
}

// Reads up to where the state had read, keeping what was pending.
Status SequentialRounds::Skip(Round& round) {
  RoundFiller filler(round);
  round.positions = std::exchange(pending_, {});
  size_t next = 0;
  while (position_ < skip_to_) {
    const uint64_t position = position_;
    PENSTOCK_ASSIGN_OR_RETURN(const auto record, Take());
    if (!record) {
      return FailedPreconditionError(
          fmt::format("the state has read {} positions of an epoch that has {}",
                      skip_to_, position_));
    }
    if (next == round.positions.size() || round.positions[next] != position) {
      continue;
    }
    ++next;
    if (Mine(position)) filler.Add(*record);
  }
  filler.Finish();
  round.positions_read = position_;
  return OkStatus();
}

Status SequentialRounds::EndEpoch() {
  if (records_ && *records_ != position_) {
    return FailedPreconditionError(fmt::format(
        "the files changed: epoch {} has {} records, the one before had {}",
        epoch_, position_, *records_));
  }
  records_ = position_;
  ++epoch_;
  position_ = 0;
  skip_to_ = 0;
  sequence_.Rewind();
  return OkStatus();
}

}  // namespace

std::unique_ptr<RoundSource> MakeSequentialRounds(
    FileSystem& files, std::vector<std::string> paths, OpenOptions open,
    OrderOptions order, uint64_t files_bytes, RoundOptions options) {
  return std::make_unique<SequentialRounds>(files, std::move(paths),
                                            std::move(open), order, files_bytes,
                                            std::move(options));
}

}  // namespace penstock
