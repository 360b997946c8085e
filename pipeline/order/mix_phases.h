// When the parts of a mix leave it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/dataset.h"
#include "pipeline/order/mix_order.h"
#include "pipeline/order/schedule.h"

namespace penstock {

// Positions that the same parts share, until one of them leaves.
struct MixPhase {
  uint64_t begin = 0;
  uint64_t end = kEndless;
  Schedule schedule;
  std::vector<uint32_t> parts;  // of each source of the schedule
  std::vector<uint64_t> first;  // row of each of them, at `begin`
};

// One, or under MixStop::kLast one for each time that parts leave. rows[i] is
// how many rows of part i came before, in the same epoch; it is set to those
// that it has in all of the epoch, or to 0 where that has no end.
std::vector<MixPhase> MakeMixPhases(std::span<const MixPart> parts,
                                    MixStop stop, std::span<uint64_t> rows);

}  // namespace penstock
