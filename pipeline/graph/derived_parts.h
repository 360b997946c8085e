// What of a graph's forms, derived tensors and objectives decides batches.
#pragma once

#include <vector>

#include "pipeline/dataset.h"
#include "pipeline/graph/stages.h"
#include "pipeline/state.h"
#include "tokenizer/interface/fingerprint.h"

namespace penstock {

// Adds what a feature says of its form in a batch beyond its type and length;
// nothing where it says nothing.
void AddForm(const Feature& feature, Fingerprinter& hash);

// Adds parts "Derive" and "Objective" where the graph has them.
void AddDerivedParts(const Stages& stages, std::vector<StatePart>& parts);

}  // namespace penstock
