// A system that runs out of threads.
#pragma once

namespace penstock::testing {

// While one exists, the process can start `left` more threads; any further one
// is refused with EAGAIN, as at the limit of processes.
//
// Threads: one object at a time.
class ScarceThreads {
 public:
  explicit ScarceThreads(int left);
  ~ScarceThreads();
  ScarceThreads(const ScarceThreads&) = delete;
  ScarceThreads& operator=(const ScarceThreads&) = delete;
};

}  // namespace penstock::testing
