// Rounds are loaded and decoded side by side, ahead of the arranger, and come
// out in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "formats/example/examples.h"
#include "formats/files/status_or.h"
#include "pipeline/group.h"
#include "pipeline/read/rounds.h"
#include "pipeline/run/job.h"
#include "pipeline/tasks/pace.h"
#include "pipeline/tasks/task_queue.h"

namespace penstock {

// A round, and what its rows became: part by part, in the order of
// Round::mine.
struct DecodedRound {
  struct Part {
    std::shared_ptr<const Examples> examples;
    std::vector<uint32_t> lengths;  // see DecodedRows
    std::vector<uint32_t> rows_of;
  };

  Round round;
  std::vector<Part> parts;
  std::shared_ptr<TaskHome> home;  // of those that decoded it
};

struct ReadAheadOptions {
  // Of records and rows. Rounds are started while there is room; one always is.
  uint64_t budget_bytes = 64ull << 20;
  // In flight at once, at most; 0 is two for each thread.
  size_t rounds = 0;
  size_t rows_of_part = 64;  // that a task decodes
  // Who waits for rounds of which one follows the other so soon is woken for
  // several.
  int64_t quick_ns = Pace::kQuickNs;
};

// What all hosts can do: the least of each.
// Errors:  those of Group.
StatusOr<ReadAheadOptions> AgreeOn(ReadAheadOptions mine, Group& group);

// Threads: one at a time.
class ReadAhead {
 public:
  // Where hosts meet in `source`, `options` must be the same on all: they then
  // ask for rounds at the same times. `tasks` is borrowed.
  ReadAhead(std::shared_ptr<const Job> job, std::shared_ptr<RoundSource> source,
            TaskQueue& tasks, ReadAheadOptions options);
  // Lets tasks that have not begun end at once.
  ~ReadAhead();

  // The next round, decoded; nullopt after the last. Errors come in order.
  // Errors:  kCancelled once `stop` was requested; those of reading, parsing
  //          and tokenizing.
  StatusOr<std::optional<DecodedRound>> Next(const std::stop_token& stop);

 private:
  struct Flight;
  struct Scratch;
  struct Shared;

  bool HasRoom() const;
  uint64_t RecordsCounted(const Round& round) const;
  void Start(const std::stop_token& stop);
  void StartParts(const std::shared_ptr<Flight>& flight);

  const std::shared_ptr<const Job> job_;
  const std::shared_ptr<RoundSource> source_;
  TaskQueue& tasks_;
  const ReadAheadOptions options_;
  const std::shared_ptr<Shared> shared_;
  std::deque<std::shared_ptr<Flight>> in_flight_;
  bool source_ended_ = false;
  Status source_error_;
};

}  // namespace penstock
