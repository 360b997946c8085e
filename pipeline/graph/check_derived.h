// The checks of derived tensors and objectives.
#pragma once

#include "formats/files/status.h"
#include "pipeline/graph/stages.h"

namespace penstock {

// Adds the derived tensors that the objective is made of.
void ExpandObjective(Stages& stages);

// Whether every tensor of a batch has a name of its own, a padding that its
// type can hold, and is made of what is there.
// Errors:  kInvalidArgument saying what to change.
Status CheckDerived(const Stages& stages);

}  // namespace penstock
