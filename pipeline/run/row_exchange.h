// What hosts tell each other of a round: the lengths of the rows that each
// decoded, and the rows that others feed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/arrange/row_fit.h"
#include "pipeline/arrange/steps.h"
#include "pipeline/build/row_store.h"
#include "pipeline/group.h"
#include "pipeline/read/rounds.h"
#include "pipeline/read/waiting_rows.h"
#include "pipeline/run/job.h"
#include "pipeline/run/read_ahead.h"

namespace penstock {

// Who decoded a row, and where that host keeps it: Row::tag.
struct RowPlace {
  uint32_t host = 0;
  uint64_t slot = 0;  // of the host's RowStore; 0 for those of other hosts

  static constexpr int kSlotBits = 40;

  uint64_t tag() const { return uint64_t{host} << kSlotBits | slot; }
  static RowPlace Of(uint64_t tag) {
    return {static_cast<uint32_t>(tag >> kSlotBits),
            tag & ((uint64_t{1} << kSlotBits) - 1)};
  }
};

// The rows that all hosts' records of a round became, of which none is in a
// store yet. `group` is null where this host decodes all that matters to it.
// Errors:  those of Group; kInternal where a host tells of other numbers.
StatusOr<std::vector<Row>> GatherRows(const Job& job,
                                      const DecodedRound& decoded,
                                      Group* group);

// Puts this host's rows of those into `store`, which their tags then say where;
// of a round of rows that wait, those that do (waits[i] is of rows[i]), and
// none that `fit` drops.
void KeepRows(const Job& job, const DecodedRound& decoded,
              std::span<const Waits> waits, const RowFit& fit, RowStore& store,
              std::span<Row> rows);

// A step and the rows of this host's part of it: sources[i] is where the i-th
// piece of those rows is; there are none where all are in their places.
struct FedStep {
  Step step;
  std::vector<StoredRow> sources;
  RowOwners owners;  // of their examples

  std::span<const StoredRow> SourcesOf(size_t piece, size_t count) const {
    if (sources.empty()) return {};
    return std::span(sources).subspan(piece, count);
  }
};

// Takes the rows of `steps` out of `store`, sends those that others feed, and
// finds the rows of this host's parts.
//
// Threads: one at a time.
class RowExchange {
 public:
  // `group` is borrowed; null where every host decodes what it feeds.
  RowExchange(const Job& job, Group* group);

  // A row of `store` that was emptied is in its place: of its pieces nothing is
  // found.
  // Errors:  those of Group; kInternal for bytes that are no rows.
  Status Meet(std::span<FedStep> steps, RowStore& store);

  // Whether row `row` of batches of shape `shape` is fed by this host and no
  // other.
  bool OnlyMine(size_t shape, size_t row) const {
    const auto feeders = FeedersOf(shape, row);
    return feeders.size() == 1 && feeders.front() == host_;
  }

 private:
  // Which of a record's values go with a piece.
  uint32_t BeginSent(const Piece& piece) const;
  size_t CountSent(const Piece& piece) const;
  // The rows that each host feeds and this one decoded, in order.
  std::vector<std::string> Outgoing(std::span<const FedStep> steps,
                                    const RowStore& store) const;

  const uint32_t host_;
  Group* const group_;
  // What is derived looks at all of a record.
  const bool sends_whole_;
  // The hosts that feed row `row` of a batch.
  std::span<const uint32_t> FeedersOf(size_t shape, size_t row) const {
    return feeders_[feeders_.size() > 1 ? shape : 0][row];
  }

  // [shapes, or one for all][rows of a batch]
  std::vector<std::vector<std::vector<uint32_t>>> feeders_;
  Examples columns_;  // of a decoded row, without rows
  // Of the step that it is at.
  std::vector<StoredRow> sources_;
  std::vector<uint64_t> done_;
};

}  // namespace penstock
