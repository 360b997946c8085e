// Rounds are loaded and decoded side by side, ahead of the arranger, and come
// out in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "formats/example/examples.h"
#include "formats/files/status_or.h"
#include "pipeline/arrange/rounds.h"
#include "pipeline/build/workers.h"
#include "pipeline/run/job.h"

namespace penstock {

struct DecodedRound {
  Round round;
  // Row i is that of round.ids[i]. Counts against the budget while it lives.
  std::shared_ptr<const Examples> examples;
};

// Threads: Next() from one at a time; Cancel() and Locate() from any.
class ReadAhead {
 public:
  // At most `budget_bytes` of records and rows, by the size of the largest
  // round so far; one round is always allowed.
  ReadAhead(std::shared_ptr<const Job> job, std::shared_ptr<RoundSource> source,
            Workers& workers, uint64_t budget_bytes);
  ~ReadAhead();

  // The next round; nullopt after the last. Errors come in their round's place.
  StatusOr<std::optional<DecodedRound>> Next();

  // Ends every wait, now and later. Never blocks.
  void Cancel();

 private:
  struct InFlight;
  struct Shared;

  void Start();
  bool HasRoom() const;

  const std::shared_ptr<RoundSource> source_;
  Workers& workers_;
  const uint64_t budget_bytes_;
  const std::shared_ptr<Shared> shared_;
  std::deque<std::shared_ptr<InFlight>> in_flight_;
  bool source_ended_ = false;
  Status source_error_;
};

}  // namespace penstock
