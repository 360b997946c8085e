// What a loss is divided by, so that rows that pad count nowhere.
#pragma once

#include <cstdint>
#include <span>

#include "formats/files/status_or.h"
#include "infeed/sharding/core_slice.h"

namespace penstock {

// Of one device, host or micro-batch: its losses times weights, added up.
struct WeightedLoss {
  double sum = 0;
  double weight = 0;  // sum of the weights
};

// The weights of a slice's rows, added up; the number of its rows where the
// contract has no weights. Over the first copies of all shards this is the
// normalizer of the global batch, which every device divides its sum by.
double WeightOf(const CoreSlice& slice);

// The mean over all parts: sum of sums / sum of weights, added up in the order
// given. It is not the mean of the parts' means where they weigh differently.
//
// Errors:  kInvalidArgument where all weights are 0: there is nothing to learn
//          from, and a division would make every gradient NaN.
StatusOr<double> MeanLoss(std::span<const WeightedLoss> parts);

}  // namespace penstock
