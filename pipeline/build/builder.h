// Batches are built side by side and handed out in order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "formats/files/status_or.h"
#include "pipeline/batch.h"
#include "pipeline/build/workers.h"

namespace penstock {

// What was left out or cut in the rows up to a batch.
struct LeftOut {
  uint64_t dropped = 0;
  uint64_t truncated = 0;
};

// A batch and what the counts of the whole run need to know of it.
struct Built {
  Batch batch;
  uint64_t real_rows = 0;  // of the global batch
  LeftOut left_out;        // since the run began or was restored
};

// A ring of batches between one thread that starts them, the workers that build
// them and one thread that takes them.
//
// Threads: Push() and Finish() from one, Pop() from another, Cancel() from any.
class Builder {
 public:
  using Build = std::function<StatusOr<Built>()>;

  // At most `budget_bytes` of batches are started and not yet taken, and at
  // most `limit` batches; one is always allowed.
  Builder(Workers& workers, uint64_t budget_bytes, size_t limit);
  // After Cancel() or a Finish() that was popped. Tasks may still run.
  ~Builder();

  // Starts a batch of `bytes` once there is room for it. False where nobody
  // will take it any more: after Cancel(), or a build that failed.
  bool Push(uint64_t bytes, Build build);

  // No more batches come. An error is given after the batches before it.
  void Finish(Status status, LeftOut left_out);

  // The next batch in order; nullopt after the last. An error stays.
  StatusOr<std::optional<Built>> Pop();
  // What was left out in the whole run, once Pop() gave nullopt.
  LeftOut left_out_at_end() const;

  // Ends every wait, now and later. Never blocks.
  void Cancel();

 private:
  struct Slot {
    uint64_t bytes = 0;
    std::optional<StatusOr<Built>> result;
  };
  // Tasks hold it, so that they may outlive the builder.
  struct Ring {
    mutable std::mutex mutex;
    std::condition_variable room;   // for Push()
    std::condition_variable ready;  // for Pop()
    std::deque<std::shared_ptr<Slot>> slots;
    uint64_t bytes = 0;  // of slots
    bool failed = false;
    bool cancelled = false;
    std::optional<Status> finished;
    LeftOut left_out;
  };

  Workers& workers_;
  const uint64_t budget_bytes_;
  const size_t limit_;
  const std::shared_ptr<Ring> ring_;
};

}  // namespace penstock
