#include "formats/files/sigbus_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>

namespace penstock {

// One of a list that only grows, so that the handler may walk it at any time;
// a range whose guard is gone is used again.
struct SigbusGuard::Range {
  std::atomic<bool> in_use = true;
  // Written before `end` is, which is 0 while the range is to be passed over.
  std::atomic<uintptr_t> begin = 0;
  std::atomic<uintptr_t> end = 0;
  std::atomic<bool> hit = false;
  Range* next = nullptr;  // constant once in the list
};

namespace {

std::atomic<SigbusGuard::Range*> first_range = nullptr;
struct sigaction previous_action = {};
uintptr_t page_bytes = 4096;  // set before the handler is

bool Mend(uintptr_t address) {
  for (SigbusGuard::Range* range = first_range.load(std::memory_order_acquire);
       range != nullptr; range = range->next) {
    const uintptr_t end = range->end.load(std::memory_order_acquire);
    const uintptr_t begin = range->begin.load(std::memory_order_relaxed);
    if (address < begin || address >= end) continue;
    // All from here on is gone, too.
    const uintptr_t page = address & ~(page_bytes - 1);
    const uintptr_t size = (end - page + page_bytes - 1) & ~(page_bytes - 1);
    if (mmap(reinterpret_cast<void*>(page), size, PROT_READ,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
      return false;
    }
    range->hit.store(true, std::memory_order_release);
    return true;
  }
  return false;
}

void OnSigbus(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const bool mended = Mend(reinterpret_cast<uintptr_t>(info->si_addr));
  errno = saved_errno;
  if (mended) return;
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(signal, info, context);
  } else if (previous_action.sa_handler == SIG_DFL ||
             previous_action.sa_handler == SIG_IGN) {
    // The instruction runs again and ends the process as it always did.
    ::signal(SIGBUS, SIG_DFL);
  } else {
    previous_action.sa_handler(signal);
  }
}

void InstallHandler() {
  page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  struct sigaction action = {};
  action.sa_sigaction = OnSigbus;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &previous_action);
}

SigbusGuard::Range* TakeRange() {
  for (SigbusGuard::Range* range = first_range.load(std::memory_order_acquire);
       range != nullptr; range = range->next) {
    bool in_use = false;
    if (range->in_use.compare_exchange_strong(in_use, true)) return range;
  }
  auto* const range = new SigbusGuard::Range;
  range->next = first_range.load(std::memory_order_relaxed);
  while (!first_range.compare_exchange_weak(range->next, range,
                                            std::memory_order_release)) {
  }
  return range;
}

}  // namespace

SigbusGuard::SigbusGuard(const void* begin, size_t size_bytes)
    : range_(TakeRange()) {
  static std::once_flag installed;
  std::call_once(installed, InstallHandler);
  const auto address = reinterpret_cast<uintptr_t>(begin);
  range_->hit.store(false, std::memory_order_relaxed);
  range_->begin.store(address, std::memory_order_relaxed);
  range_->end.store(address + size_bytes, std::memory_order_release);
}

SigbusGuard::~SigbusGuard() {
  range_->end.store(0, std::memory_order_release);
  range_->in_use.store(false, std::memory_order_release);
}

bool SigbusGuard::hit() const {
  return range_->hit.load(std::memory_order_acquire);
}

}  // namespace penstock
