// What Explain() says of tokenizers, row operations, derived tensors and
// objectives.
#pragma once

#include <string>

#include "pipeline/contract.h"
#include "pipeline/graph/stages.h"

namespace penstock {

// A line for each Tokenize.
std::string DescribeTokenize(const Stages& stages);

// A line of the stages for each operation on rows, one for what is derived and
// one for the objective; nothing of a graph that has none.
std::string DescribeDerived(const Stages& stages);

// What derived tensors take of a global batch of the longest length.
std::string DescribeDerivedBytes(const Contract& contract);

}  // namespace penstock
