// The tensors of a batch and what fills each: the contract, with reasons.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/contract.h"
#include "pipeline/dataset.h"
#include "pipeline/graph/stages.h"

namespace penstock {

// A tensor and where it comes from.
struct BatchTensor {
  TensorSpec spec;
  std::optional<size_t> feature;  // of Stages::batched; none of the row mask
  std::optional<size_t> derived;  // of Stages::derived
};

// What a feature becomes in a batch.
ElementType TypeInBatch(const Feature& feature);
// Of a tensor that holds values of `feature` and negative numbers, too.
ElementType SignedTypeFor(const Feature& feature);

double PadValueOf(const Stages& stages, const Feature& feature);

// Its number in Stages::batched.
std::optional<size_t> FindFeature(const Stages& stages,
                                  const std::string& name);

// In the contract's order: of each feature its values and what tells how many
// are real, then what is derived and
// what the objective makes, then the row mask.
std::vector<BatchTensor> TensorsOf(const Stages& stages);

}  // namespace penstock
