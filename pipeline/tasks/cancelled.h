// What whoever waits for a pipeline is told once it was cancelled.
#pragma once

#include "formats/files/status.h"

namespace penstock {

inline Status PipelineCancelled() {
  return CancelledError("the pipeline was cancelled");
}

}  // namespace penstock
