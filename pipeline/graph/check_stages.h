// The checks of a graph's options, one for each group of them.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "pipeline/graph/stages.h"

namespace penstock {

inline constexpr char kRowMaskName[] = "row_mask";
// "tokens" -> "tokens_lengths".
std::string LengthsName(const std::string& feature);

// Without Parse: the features that later stages name.
void NameFeatures(Stages& stages);

// Each fills in what the next one reads.
// Errors:  kInvalidArgument saying what to change.
absl::Status CheckFeatures(Stages& stages);  // sets `batched`
absl::Status CheckArranging(const Stages& stages);
absl::Status CheckBatch(const Stages& stages, uint32_t shards);

}  // namespace penstock
