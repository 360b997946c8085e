#include "tests/support/scarce_threads.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

namespace penstock::testing {
namespace {

std::atomic<bool> scarce = false;
std::atomic<int> threads_left = 0;

}  // namespace

ScarceThreads::ScarceThreads(int left) {
  threads_left = left;
  scarce = true;
}

ScarceThreads::~ScarceThreads() { scarce = false; }

}  // namespace penstock::testing

// Stands before the system's, which it calls.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attr,
                              void* (*start)(void*), void* arg) {
  using penstock::testing::scarce;
  using penstock::testing::threads_left;
  using Create =
      int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real =
      reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (scarce && threads_left.fetch_sub(1) <= 0) return EAGAIN;
  return real(thread, attr, start, arg);
}
