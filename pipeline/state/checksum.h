// The version of a state's text, and a number that proves the text.
#pragma once

#include <cstdint>

#include "pipeline/state.h"

namespace penstock {

// Of a run that never changed, without a Mix; the other has more members.
inline constexpr uint64_t kStateVersion = 2;
inline constexpr uint64_t kLineageVersion = 3;

// The one of both that has all of `state`.
uint64_t VersionOf(const State& state);

// Of every member, and of the version.
uint64_t Checksum(const State& state);

}  // namespace penstock
