// Batches are built side by side, in parts, and handed out in order.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "formats/files/status_or.h"
#include "pipeline/batch.h"
#include "pipeline/tasks/lane.h"
#include "pipeline/tasks/pace.h"
#include "pipeline/tasks/task_queue.h"

namespace penstock {

// A batch on its way.
class BatchWork {
 public:
  virtual ~BatchWork() = default;

  virtual size_t parts() const = 0;
  // Gives the batch its memory: once, right before the first of its parts is
  // built, so that of memory used again and again it is what was used last.
  virtual Status Begin() = 0;
  // Goes on with part `part`. False where the next record is so large that it
  // wants memory for itself: then it is called again with `alone`, while no
  // other part of the pipeline has that.
  // Threads: any number at a time, for different parts.
  virtual StatusOr<bool> BuildPart(size_t part, bool alone) = 0;

  // Once all parts are built.
  Batch batch;
  std::atomic<uint64_t> cut_rows = 0;
};

// A ring of batches between one thread that starts them, the tasks that build
// them and one thread that takes them.
//
// Threads: Push() and Finish() from one, Pop() from another, Cancel() from any.
class BatchRing {
 public:
  // As BatchWork::BuildPart().
  using Part = std::function<StatusOr<bool>(bool alone)>;

  // At most `budget_bytes` of batches are started and not yet taken, and at
  // most `limit` batches; one is always allowed. Both are borrowed; `tasks`
  // must be there as long as the ring. Who waits in Pop() for batches of which
  // one follows the other within `quick_ns` is woken for several.
  BatchRing(TaskQueue& tasks, Lane& lane, uint64_t budget_bytes, size_t limit,
            int64_t quick_ns = Pace::kQuickNs);
  ~BatchRing();

  // Waits until there is room for a batch of `bytes`. False where nobody will
  // take it any more: after Cancel(), or a build that failed.
  bool AwaitRoom(uint64_t bytes);
  // Whether a build failed: Pop() says why, behind the batches before it.
  bool failed() const;
  // Starts it.
  void Push(uint64_t bytes, std::shared_ptr<BatchWork> work) {
    Push(bytes, Open(std::move(work)));
  }

  // A batch of which parts are built before it is known whole: any number by
  // Start(), then those of BatchWork::parts() by Push(). It takes no room
  // before that, and what became of one that is never pushed nobody hears.
  struct Slot;
  std::shared_ptr<Slot> Open(std::shared_ptr<BatchWork> work);
  // `home` is of those that made what the parts read; null: of nobody.
  void Start(const std::shared_ptr<Slot>& slot, Part part,
             std::shared_ptr<TaskHome> home = {});
  void Push(uint64_t bytes, const std::shared_ptr<Slot>& slot,
            const std::shared_ptr<TaskHome>& home = {});

  // No more batches come. An error is given after the batches before it.
  void Finish(Status status);

  // The next batch in order; nullopt after the last. An error stays.
  StatusOr<std::shared_ptr<BatchWork>> Pop();

  // Ends every wait, now and later. Never blocks.
  void Cancel();

 private:
  struct Ring;

  // Leaves it to a task. False where there is no memory for that.
  bool Run(const std::shared_ptr<Slot>& slot, Part part,
           std::shared_ptr<TaskHome> home);

  TaskQueue& tasks_;
  const std::shared_ptr<Ring> ring_;
};

}  // namespace penstock
