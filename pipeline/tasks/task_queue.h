// The threads of the process that read, parse, tokenize and place: one pool,
// shared by all pipelines and programs in it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "formats/files/status_or.h"

namespace penstock {

// One user's tasks. The oldest starts first, those of RunSoon() before all
// others; where several queues have tasks, they take turns, so that none
// starves. At most as many of a queue's tasks run at once as it was made for;
// the pool has threads for the largest queue there is and for all of them
// together up to the number of cores.
//
// A task must not wait for another. What it throws ends the process, so it
// guards itself where memory may end (formats/files/memory_guard.h).
//
// Threads: any number at a time.
class TaskQueue {
 public:
  // 0 is one for each core that the process may use.
  // Errors:  kInvalidArgument for less; kResourceExhausted where the system
  //          gives no thread at all; fewer than were asked for are taken as
  //          they are.
  static StatusOr<std::unique_ptr<TaskQueue>> Create(int threads);
  // Waits until every task has ended.
  ~TaskQueue();
  TaskQueue(const TaskQueue&) = delete;
  TaskQueue& operator=(const TaskQueue&) = delete;

  // Where there is no memory to leave the task to another thread, it runs on
  // this one.
  void Run(std::function<void()> task);
  // The same, for one that uses what others made and the caches still have.
  void RunSoon(std::function<void()> task);

  int threads() const;

 private:
  class Tasks;
  explicit TaskQueue(std::shared_ptr<Tasks> tasks);

  const std::shared_ptr<Tasks> tasks_;
  friend class TaskPool;
};

}  // namespace penstock
