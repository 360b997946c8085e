// The checks of a graph's options, one for each group of them.
#pragma once

#include <cstdint>
#include <string>

#include "formats/files/status.h"
#include "pipeline/graph/stages.h"

namespace penstock {

inline constexpr char kRowMaskName[] = "row_mask";
// "tokens" -> "tokens_lengths".
std::string LengthsName(const std::string& feature);

// "label" -> "label_present".
std::string PresenceName(const std::string& feature);

// What Tokenize makes.
Feature TokenizedFeature(const TokenizeOptions& options);

// Without Parse: the features that later stages name.
void NameFeatures(Stages& stages);

// Each fills in what the next one reads.
// Errors:  kInvalidArgument saying what to change.
Status CheckFeatures(Stages& stages);  // sets `batched`
Status CheckArranging(const Stages& stages);
Status CheckBatch(const Stages& stages);

}  // namespace penstock
