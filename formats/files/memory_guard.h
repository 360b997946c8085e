// The border between libraries that throw where memory ends and callers that
// are told so by a status.
#pragma once

#include <new>
#include <string_view>

#include "formats/files/status_or.h"

namespace penstock {

// kResourceExhausted, "WHAT: not enough memory to DO"; without words where
// there is no memory for them. Made beforehand, as words take memory too.
Status NoMemory(std::string_view what, std::string_view to_do);

// What `work` returns, a status or a StatusOr; `no_memory` where memory ends
// in it. What it worked on may be in any state then.
template <typename Work>
auto GuardMemory(const Status& no_memory, Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return no_memory;
  }
}

}  // namespace penstock
