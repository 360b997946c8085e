#include "pipeline/order/mix_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "pipeline/order/epochs_of_order.h"
#include "pipeline/order/mix_phases.h"

namespace penstock {
namespace {

class Mix final : public MixOrder {
 public:
  Mix(std::vector<MixPart> parts, MixStop stop)
      : Mix(std::move(parts), stop, 0, {}, {}) {}

  // Its first epoch is `epoch`: parts have given before[i] rows in those before
  // it, and rows[i] in it; none where they are empty.
  Mix(std::vector<MixPart> parts, MixStop stop, uint64_t epoch,
      std::vector<uint64_t> before, std::vector<uint64_t> rows)
      : parts_(std::move(parts)),
        stop_(stop),
        first_epoch_(epoch),
        before_(std::move(before)),
        rows_(std::move(rows)),
        phases_(MakePhases()) {
    for (const MixPart& part : parts_)
      limit_ = std::max(limit_, part.order->id_limit());
    MakeShares();
  }

  uint64_t records() const override { return phases_.back().end; }
  uint64_t id_limit() const override { return limit_; }
  bool whole() const override {
    return EachIsAllOf([](const Order& part) { return part.whole(); });
  }
  // What runs from one epoch of a part into the next may have records of both.
  bool distinct() const override {
    return EachIsAllOf([](const Order& part) { return part.distinct(); });
  }
  InCommon epochs_share() const override {
    InCommon least = InCommon::kRecords;
    for (size_t i = 0; i < parts_.size(); ++i) {
      const bool all =
          rows_[i] > 0 && rows_[i] % parts_[i].order->records() == 0;
      least = std::min(
          least, all ? parts_[i].order->epochs_share() : InCommon::kNothing);
    }
    return least;
  }
  uint64_t table_bytes() const override {
    uint64_t bytes = 0;
    for (const MixPart& part : parts_) bytes += part.order->table_bytes();
    for (const MixPhase& phase : phases_) {
      bytes += phase.schedule.table_bytes() + phase.parts.capacity() * 4 +
               phase.first.capacity() * 8;
    }
    return bytes;
  }
  const std::vector<MixShare>& shares() const override { return shares_; }
  std::shared_ptr<const MixOrder> RestOf(const Begin& begin) const override {
    return Rest(begin);
  }
  std::shared_ptr<const MixOrder> After(const Begin& begin) const override;
  std::vector<MixTaken> Taken(uint64_t epoch, uint64_t position) const override;

  void Fill(uint64_t epoch, uint64_t first,
            std::span<uint64_t> ids) const override;
  void Look(uint64_t epoch, std::span<uint64_t> positions) const override;

 private:
  // Of some positions of one phase.
  struct Turns {
    std::vector<uint16_t> sources;  // [positions]
    std::vector<uint32_t> begins;   // [sources]: where its rows begin in `rows`
    std::vector<uint64_t> rows;     // by source; then the ids
  };

  // Whether an epoch has one of each part, and each part is so.
  template <typename IsSo>
  bool EachIsAllOf(IsSo is_so) const {
    for (size_t i = 0; i < parts_.size(); ++i) {
      const Order& part = *parts_[i].order;
      if (rows_[i] != part.records() || !is_so(part)) return false;
    }
    return true;
  }
  std::vector<MixPhase> MakePhases() {
    before_.resize(parts_.size());
    rows_.resize(parts_.size());
    return MakeMixPhases(parts_, stop_, rows_);
  }
  std::shared_ptr<const Mix> Rest(const Begin& begin) const;
  void MakeShares();
  const MixPhase& PhaseOf(uint64_t position) const;
  void FillPart(const MixPhase& phase, uint64_t epoch, uint64_t first,
                Turns& turns, std::span<uint64_t> ids) const;
  // What has no end has only parts that have none: it is never through them.
  uint64_t FirstEpoch(uint64_t epoch) const {
    return records() == kEndless ? epoch : 0;
  }
  // The row of a source's part that its first row in a phase is in an epoch.
  uint64_t FirstRow(const MixPhase& phase, uint64_t epoch,
                    size_t source) const {
    const uint32_t part = phase.parts[source];
    return before_[part] + (epoch - first_epoch_) * rows_[part] +
           phase.first[source];
  }

  const std::vector<MixPart> parts_;
  const MixStop stop_;
  const uint64_t first_epoch_;
  std::vector<uint64_t> before_;  // [parts]: rows in the epochs before that one
  std::vector<uint64_t> rows_;    // [parts]: in an epoch of this; 0 if endless
  const std::vector<MixPhase> phases_;
  uint64_t limit_ = 0;
  std::vector<MixShare> shares_;
};

std::shared_ptr<const Mix> Mix::Rest(const Begin& begin) const {
  std::vector<uint64_t> before;
  std::vector<uint64_t> rows;
  for (const MixTaken& taken : begin.taken) {
    before.push_back(taken.before);
    rows.push_back(taken.rows);
  }
  return std::make_shared<const Mix>(parts_, stop_, begin.epoch,
                                     std::move(before), std::move(rows));
}

std::shared_ptr<const MixOrder> Mix::After(const Begin& begin) const {
  const std::shared_ptr<const Mix> rest = Rest(begin);
  std::vector<uint64_t> before = rest->before_;
  for (size_t i = 0; i < before.size(); ++i) before[i] += rest->rows_[i];
  return std::make_shared<const Mix>(parts_, stop_, begin.epoch + 1,
                                     std::move(before),
                                     std::vector<uint64_t>());
}

std::vector<MixTaken> Mix::Taken(uint64_t epoch, uint64_t position) const {
  std::vector<MixTaken> taken;
  for (size_t i = 0; i < parts_.size(); ++i) {
    taken.push_back({before_[i] + (epoch - first_epoch_) * rows_[i], rows_[i]});
  }
  // Parts that are in no phase from here on have given all of theirs.
  const MixPhase& phase = PhaseOf(position);
  const std::vector<uint64_t> rows =
      phase.schedule.RowsIn(position - phase.begin);
  for (size_t source = 0; source < rows.size(); ++source) {
    taken[phase.parts[source]].rows = phase.first[source] + rows[source];
  }
  return taken;
}

void Mix::MakeShares() {
  for (size_t i = 0; i < parts_.size(); ++i) {
    shares_.push_back(
        {.weight = 0, .rows = records() == kEndless ? kEndless : rows_[i]});
  }
  // Parts that were through before it began are in no phase of a rest.
  const MixPhase& first = phases_.front();
  const double period = first.schedule.period();
  for (size_t source = 0; source < first.parts.size(); ++source) {
    shares_[first.parts[source]].weight =
        first.schedule.quotas()[source] / period;
  }
}

const MixPhase& Mix::PhaseOf(uint64_t position) const {
  if (phases_.size() == 1) return phases_.front();
  const auto after =
      std::ranges::upper_bound(phases_, position, {}, &MixPhase::begin);
  return *(after - 1);
}

void Mix::Fill(uint64_t epoch, uint64_t first, std::span<uint64_t> ids) const {
  constexpr uint64_t kAtOnce = 8192;  // its memory stays in a near cache
  Turns turns;
  while (!ids.empty()) {
    const MixPhase& phase = PhaseOf(first);
    const auto count =
        std::min<uint64_t>({ids.size(), phase.end - first, kAtOnce});
    FillPart(phase, epoch, first - phase.begin, turns, ids.first(count));
    ids = ids.subspan(count);
    first += count;
  }
}

// The rows that a source has of some positions that follow each other follow
// each other, too.
void Mix::FillPart(const MixPhase& phase, uint64_t epoch, uint64_t first,
                   Turns& turns, std::span<uint64_t> ids) const {
  const Schedule& schedule = phase.schedule;
  const size_t sources = schedule.quotas().size();
  turns.sources.resize(ids.size());
  turns.begins.assign(sources + 1, 0);
  turns.rows.resize(ids.size());
  const auto place = static_cast<uint32_t>(first % schedule.period());
  std::vector<uint64_t> before(sources);  // of the first row of each
  uint64_t done = first - place;          // positions of whole periods
  uint32_t next = place;
  for (uint16_t& source : turns.sources) {
    const Schedule::Turn turn = schedule.turn(next);
    source = turn.source;
    if (turns.begins[source + 1]++ == 0) {
      before[source] =
          done / schedule.period() * schedule.quotas()[source] + turn.rank;
    }
    if (++next == schedule.period()) {
      next = 0;
      done += schedule.period();
    }
  }
  for (size_t source = 0; source < sources; ++source) {
    const uint32_t begin = turns.begins[source];
    const uint32_t rows = turns.begins[source + 1];
    turns.begins[source + 1] += begin;
    if (rows == 0) continue;
    FillRows(*parts_[phase.parts[source]].order, FirstEpoch(epoch),
             FirstRow(phase, epoch, source) + before[source],
             std::span(turns.rows).subspan(begin, rows));
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    ids[i] = turns.rows[turns.begins[turns.sources[i]]++];
  }
}

void Mix::Look(uint64_t epoch, std::span<uint64_t> positions) const {
  std::vector<uint32_t> parts(positions.size());
  std::vector<size_t> begins(parts_.size() + 1);
  for (size_t i = 0; i < positions.size(); ++i) {
    const MixPhase& phase = PhaseOf(positions[i]);
    const Schedule& schedule = phase.schedule;
    const uint64_t inside = positions[i] - phase.begin;
    const Schedule::Turn turn =
        schedule.turn(static_cast<uint32_t>(inside % schedule.period()));
    positions[i] = FirstRow(phase, epoch, turn.source) +
                   inside / schedule.period() * schedule.quotas()[turn.source] +
                   turn.rank;
    parts[i] = phase.parts[turn.source];
    ++begins[parts[i] + 1];
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<size_t> next(begins.begin(), begins.end() - 1);
  std::vector<uint64_t> rows(positions.size());
  for (size_t i = 0; i < positions.size(); ++i) {
    rows[next[parts[i]]++] = positions[i];
  }
  for (size_t part = 0; part < parts_.size(); ++part) {
    LookRows(
        *parts_[part].order, FirstEpoch(epoch),
        std::span(rows).subspan(begins[part], begins[part + 1] - begins[part]));
  }
  for (size_t i = 0; i < positions.size(); ++i) {
    positions[i] = rows[begins[parts[i]]++];
  }
}

Status CheckPart(const MixPart& part, size_t number) {
  if (part.order->records() == 0) {
    return InvalidArgumentError(
        fmt::format("source {} of Mix has no records", number));
  }
  if (std::isfinite(part.weight) && part.weight > 0) return OkStatus();
  return InvalidArgumentError(fmt::format(
      "source {} of Mix has weight {}: give a positive number, or leave it out",
      number, part.weight));
}

}  // namespace

StatusOr<std::unique_ptr<const MixOrder>> MixOrder::Create(
    std::vector<MixPart> parts, MixStop stop) {
  if (parts.empty()) return InvalidArgumentError("Mix of no datasets");
  if (parts.size() > kMostParts) {
    return InvalidArgumentError(
        fmt::format("Mix of {} datasets: {} is the most; mix some of them "
                    "first, with the sum of their weights",
                    parts.size(), kMostParts));
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    PENSTOCK_RETURN_IF_ERROR(CheckPart(parts[i], i));
    if (stop != MixStop::kLast || parts[i].order->records() != kEndless) {
      continue;
    }
    return InvalidArgumentError(
        fmt::format("source {} of Mix repeats for ever, so the last source "
                    "never ends: use MixStop::kFirst, or Take",
                    i));
  }
  return std::make_unique<const Mix>(std::move(parts), stop);
}

}  // namespace penstock
