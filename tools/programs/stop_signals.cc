#include "tools/programs/stop_signals.h"

#include <pthread.h>

#include <ctime>

#include "formats/files/start_thread.h"

namespace penstock {
namespace {

sigset_t Signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

// How long the waiter takes to see that it is over, at most.
constexpr timespec kPoll = {.tv_sec = 0, .tv_nsec = 50'000'000};

}  // namespace

StatusOr<std::unique_ptr<StopSignals>> StopSignals::Create() {
  caught_ = 0;
  std::unique_ptr<StopSignals> made(new StopSignals);
  const sigset_t signals = Signals();
  pthread_sigmask(SIG_BLOCK, &signals, &made->before_);
  PENSTOCK_ASSIGN_OR_RETURN(
      made->waiter_,
      StartThread([self = made.get()](const std::stop_token& over) {
        self->Wait(over);
      }));
  return made;
}

void StopSignals::Wait(const std::stop_token& over) {
  const sigset_t signals = Signals();
  while (!over.stop_requested()) {
    const int got = sigtimedwait(&signals, nullptr, &kPoll);
    if (got != SIGINT && got != SIGTERM) continue;
    if (caught_ != 0) {
      signal(got, SIG_DFL);
      pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
      raise(got);
    }
    caught_ = got;
    stop_.request_stop();
  }
}

StopSignals::~StopSignals() {
  waiter_.request_stop();
  if (waiter_.joinable()) waiter_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace penstock
