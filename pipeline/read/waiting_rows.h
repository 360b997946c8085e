// The rows that wait in the state that a streamed run goes on from, as their
// records are read again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/arrange/rows.h"
#include "pipeline/state.h"

namespace penstock {

// What RoundSource needs of `state`: its records in place of its rows, each as
// often as it takes to have all rows of it that wait.
State InRecords(const State& state, RowIds ids);

// Whether a row is one of State::held, or of those that State::ahead is of.
enum class Waits { kNot, kHeld, kAhead };

// Threads: one at a time.
class WaitingRows {
 public:
  WaitingRows(State state, RowIds ids);

  // How each of `rows` waits, which are all rows of a round with Round::held.
  // To be asked once for each of these rounds, in their order.
  std::vector<Waits> Find(std::span<const Row> rows);
  // Then, those that do, in their order.
  void Add(const Row& row, Waits how);

  const State& state() const { return state_; }
  // Those of State::held, in its order.
  // Errors:  kFailedPrecondition for a row that was not read.
  StatusOr<std::vector<Row>> Held();
  // Those that come before the rows of the next round, in their order.
  // Errors:  the same.
  StatusOr<std::vector<Row>> Ahead();

 private:
  Waits HowWaits(uint64_t id);
  Status NotRead(uint64_t id) const;

  const State state_;
  const RowIds ids_;
  std::optional<uint64_t> ahead_begin_;  // the first of those
  size_t times_read_ = 0;                // the record that they are of
  // A row may wait twice, where its record comes twice in an epoch.
  std::unordered_map<uint64_t, size_t> wanted_;  // how often still
  std::unordered_multimap<uint64_t, Row> held_;
  std::vector<Row> ahead_;
};

}  // namespace penstock
