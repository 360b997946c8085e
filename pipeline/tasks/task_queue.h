// The threads of the process that read, parse, tokenize and place: one pool,
// shared by all pipelines and programs in it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <thread>

#include "formats/files/status_or.h"

namespace penstock {

// What some tasks have in common: memory that one writes and another reads. The
// thread that took the first of them takes the others as well, unless one has
// nothing else to do: the caches of another core do not have that memory.
class TaskHome {
 private:
  std::thread::id thread_;  // none: nobody took one yet
  friend class TaskQueue;
};

// One user's tasks. The oldest starts first, those of RunSoon() before all
// others and those of another thread's home last; where several queues have
// tasks, they take turns, so that none starves. At most as many of a queue's
// tasks run at once as it was made for; the pool has threads for the largest
// queue there is and for all of them together up to the number of cores.
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
  void Run(std::function<void()> task, std::shared_ptr<TaskHome> home = {});
  // The same, for one that uses what others made and the caches still have.
  void RunSoon(std::function<void()> task, std::shared_ptr<TaskHome> home = {});

  int threads() const;

 private:
  class Tasks;
  explicit TaskQueue(std::shared_ptr<Tasks> tasks);

  const std::shared_ptr<Tasks> tasks_;
  friend class TaskPool;
};

}  // namespace penstock
