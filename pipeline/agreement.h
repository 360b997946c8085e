// How hosts tell each other small facts: the lengths of streamed rows.
//
// Implementations form a star around this header. Planned pipelines never talk.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "formats/files/status_or.h"

namespace penstock {

// One host's end of a group in which every host makes the same calls in the
// same order.
//
// Threads: one at a time; Cancel() from any.
class Agreement {
 public:
  virtual ~Agreement() = default;

  // Gives every host what each host brought, by host. Waits for the slowest.
  // Errors:  kCancelled after Cancel() on any host of the group.
  virtual StatusOr<std::vector<std::vector<uint32_t>>> AllGather(
      std::span<const uint32_t> mine) = 0;

  // Ends every wait of the group, now and later. Never blocks.
  virtual void Cancel() = 0;
};

// The group of one host.
std::unique_ptr<Agreement> SoloAgreement();

// A group of `hosts` hosts that are threads of this process; element h is host
// h's end. The ends may be destroyed in any order.
std::vector<std::unique_ptr<Agreement>> ThreadAgreement(uint32_t hosts);

}  // namespace penstock
