// Threads of which the system may have no more.
#pragma once

#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "formats/files/memory_guard.h"
#include "formats/files/status_or.h"

namespace penstock {

// kResourceExhausted, with what may help.
Status NoThread(const std::error_code& why);

// A thread that does `work`, as std::jthread takes it. `work` guards itself
// where memory may end (memory_guard.h).
// Errors:  kResourceExhausted where the system gives no thread or no memory.
template <typename Work>
StatusOr<std::jthread> StartThread(Work&& work) {
  try {
    return std::jthread(std::forward<Work>(work));
  } catch (const std::system_error& error) {
    return NoThread(error.code());
  } catch (const std::bad_alloc&) {
    return NoMemory("a thread", "start it");
  }
}

}  // namespace penstock
