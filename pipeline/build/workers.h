// The threads that read, parse, tokenize and place: oneTBB's, in an arena of
// their own.
#pragma once

#include <functional>
#include <memory>

namespace penstock {

// Runs tasks, the oldest first. A task must not wait for another.
//
// Threads: any number at a time.
class Workers {
 public:
  // `threads` > 0. Raises the program's limit of oneTBB threads where it is
  // less than that.
  explicit Workers(int threads);
  // Waits until every task has ended.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void Run(std::function<void()> task);
  int threads() const;

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace penstock
