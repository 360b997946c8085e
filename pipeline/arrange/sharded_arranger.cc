#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "pipeline/arrange/arranger.h"
#include "pipeline/arrange/ready_parts.h"
#include "pipeline/order/record_shares.h"

namespace penstock {
namespace {

// Of all hosts.
ArrangeOptions WithoutShares(ArrangeOptions options) {
  assert(!options.balance);
  options.shares.reset();
  return options;
}

class ShardedArranger final : public Arranger {
 public:
  explicit ShardedArranger(ArrangeOptions options);

  Arranged Add(std::span<const Row> rows, Assignment& out) override;
  bool FlushFull(Assignment& out) override;
  bool Flush(Assignment& out) override;
  uint64_t Drop() override;

  uint64_t held_rows() const override;
  // Host by host what is ready, then what its arranger holds.
  std::vector<HeldPiece> Held() const override;
  bool Load(std::span<const HeldPiece> held,
            std::span<const Row> rows) override;

  ArrangeCounts counts() const override;
  uint64_t MostHeldBytes() const override;
  uint64_t MostHeldPieces() const override;
  uint64_t MostPieces() const override;

 private:
  size_t HostOf(uint64_t row) const {
    return rule_.shares->HostOf(rule_.row_ids.RecordOf(row));
  }
  ArrangeOptions PartOf(size_t host) const;
  void FlushEach(bool full);
  bool TakeDue(bool flushing, Assignment& out);

  const ShareRule rule_;
  const ArrangeOptions options_;
  // Half of what may wait is for what is arranged, half for what is ready.
  const bool limited_;
  const uint64_t most_ready_bytes_;
  std::vector<std::unique_ptr<Arranger>> each_;  // [hosts]
  ReadyParts ready_;
  uint64_t forced_ = 0;
};

ShardedArranger::ShardedArranger(ArrangeOptions options)
    : rule_(options.shares.value()),
      options_(WithoutShares(std::move(options))),
      limited_(options_.held_bytes < std::numeric_limits<uint64_t>::max()),
      most_ready_bytes_(limited_ ? options_.held_bytes / 2
                                 : options_.held_bytes),
      ready_(options_, rule_) {
  for (size_t host = 0; host < rule_.rows.size(); ++host) {
    each_.push_back(MakeArranger(PartOf(host)));
  }
}

ArrangeOptions ShardedArranger::PartOf(size_t host) const {
  ArrangeOptions part = options_;
  part.rows = 0;
  part.length_rows.clear();
  for (const auto& rows : rule_.rows[host]) {
    part.rows = std::max<uint64_t>(part.rows, rows.size());
    if (rule_.rows[host].size() > 1) part.length_rows.push_back(rows.size());
  }
  if (part.pack) {
    part.pack->window_rows =
        std::max(part.rows, part.pack->window_rows * part.rows / options_.rows);
  }
  if (limited_) part.held_bytes = most_ready_bytes_ / rule_.rows.size();
  return part;
}

Arranged ShardedArranger::Add(std::span<const Row> rows, Assignment& out) {
  if (TakeDue(/*flushing=*/false, out)) return {.taken = 0, .due = true};
  for (size_t i = 0; i < rows.size(); ++i) {
    const size_t host = HostOf(rows[i].record);
    bool due = false;
    for (Arranged arranged; arranged.taken == 0;) {
      Assignment part;
      arranged = each_[host]->Add(rows.subspan(i, 1), part);
      if (arranged.too_long) return {.taken = i, .too_long = true};
      if (arranged.due) ready_.Push(host, std::move(part));
      due |= arranged.due;
    }
    if (due && TakeDue(/*flushing=*/false, out)) {
      return {.taken = i + 1, .due = true};
    }
  }
  return {.taken = rows.size()};
}

bool ShardedArranger::TakeDue(bool flushing, Assignment& out) {
  std::optional<size_t> queue = ready_.FullQueue();
  if (!queue && flushing) queue = ready_.AnyQueue();
  if (!queue) {
    queue = ready_.OverfullQueue();
    if (!queue && ready_.bytes() > most_ready_bytes_) {
      queue = ready_.FullestQueue();
    }
    if (queue) ++forced_;
  }
  if (queue) ready_.Take(*queue, out);
  return queue.has_value();
}

void ShardedArranger::FlushEach(bool full) {
  Assignment part;
  for (size_t host = 0; host < each_.size(); ++host) {
    while (full ? each_[host]->FlushFull(part) : each_[host]->Flush(part)) {
      ready_.Push(host, std::exchange(part, {}));
    }
  }
}

bool ShardedArranger::FlushFull(Assignment& out) {
  // Before more is made ready, as Add() would: a state says what is.
  if (TakeDue(/*flushing=*/false, out)) return true;
  FlushEach(/*full=*/true);
  return TakeDue(/*flushing=*/false, out);
}

bool ShardedArranger::Flush(Assignment& out) {
  FlushEach(/*full=*/false);
  return TakeDue(/*flushing=*/true, out);
}

uint64_t ShardedArranger::Drop() {
  const uint64_t dropped = held_rows();
  for (const auto& arranger : each_) arranger->Drop();
  ready_.Clear();
  return dropped;
}

uint64_t ShardedArranger::held_rows() const {
  uint64_t rows = ready_.records();
  for (const auto& arranger : each_) rows += arranger->held_rows();
  return rows;
}

std::vector<HeldPiece> ShardedArranger::Held() const {
  std::vector<HeldPiece> held;
  for (size_t host = 0; host < each_.size(); ++host) {
    ready_.Hold(host, held);
    const std::vector<HeldPiece> more = each_[host]->Held();
    held.insert(held.end(), more.begin(), more.end());
  }
  return held;
}

bool ShardedArranger::Load(std::span<const HeldPiece> held,
                           std::span<const Row> rows) {
  Drop();
  for (size_t host = 0; host < each_.size(); ++host) {
    size_t end = 0;
    while (end < held.size() && HostOf(held[end].record) == host) ++end;
    const std::optional<size_t> ready =
        ready_.Load(host, held.first(end), rows.first(end));
    if (!ready || !each_[host]->Load(held.subspan(*ready, end - *ready),
                                     rows.subspan(*ready, end - *ready))) {
      return false;
    }
    held = held.subspan(end);
    rows = rows.subspan(end);
  }
  return held.empty();
}

ArrangeCounts ShardedArranger::counts() const {
  ArrangeCounts all = {.forced = forced_};
  for (const auto& arranger : each_) {
    const ArrangeCounts counts = arranger->counts();
    all.dropped += counts.dropped;
    all.truncated += counts.truncated;
    all.forced += counts.forced;
  }
  return all;
}

uint64_t ShardedArranger::MostHeldBytes() const {
  const uint64_t batch = ready_.BatchBytes();
  const uint64_t ready = (ReadyParts::kMostParts + 1) * batch;
  // The part that passes the limit is held for a moment.
  uint64_t bytes = most_ready_bytes_ < ready
                       ? std::min(ready, most_ready_bytes_ + batch)
                       : ready;
  for (const auto& arranger : each_) bytes += arranger->MostHeldBytes();
  return bytes;
}

uint64_t ShardedArranger::MostHeldPieces() const {
  uint64_t pieces =
      (ReadyParts::kMostParts + 1) * ready_.queues() * MostPieces();
  for (const auto& arranger : each_) pieces += arranger->MostHeldPieces();
  return pieces;
}

uint64_t ShardedArranger::MostPieces() const {
  uint64_t pieces = 0;
  for (const auto& arranger : each_) pieces += arranger->MostPieces();
  return pieces;
}

}  // namespace

std::unique_ptr<Arranger> MakeShardedArranger(ArrangeOptions options) {
  return std::make_unique<ShardedArranger>(std::move(options));
}

}  // namespace penstock
