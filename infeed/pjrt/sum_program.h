// The step that devices of a PJRT plugin take: a sum that a host can check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/sharding/core_slice.h"

namespace penstock {

// The sum, modulo 2^64, of a slice's first integer tensor where it is real: up
// to each row's length where the contract has lengths, else of rows of weight
// 1, else of all.
struct SumProgram {
  std::vector<size_t> arguments;  // the tensors it takes, in order
  std::string mlir;               // a StableHLO module, as text
};

// For slices of this shape.
// Errors:  kUnimplemented where no tensor is of integers.
StatusOr<SumProgram> SumProgramOf(const CoreSlice& slice);

// What it gives for a slice with its bytes, by the host.
//
// Cost:    a look at each value.
uint64_t HostSum(const SumProgram& program, const CoreSlice& slice);

}  // namespace penstock
