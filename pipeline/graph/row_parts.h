// The parts of a state's graph that decide which rows come, and their order.
#pragma once

#include <string>
#include <vector>

#include "pipeline/graph/stages.h"
#include "pipeline/state.h"

namespace penstock {

// Parse, the stages of the order and Tokenize, each named; with several sources
// "Parse of source 1". No two have the same name.
std::vector<StatePart> RowParts(const Stages& stages);

// Adds a part by its name or, where another has that, "Rename, number 2": a
// state has one part of each name.
void AddPart(StatePart part, std::vector<StatePart>& parts);

// " of source 1", or nothing where there is only one.
std::string OfSource(size_t source, size_t sources);

// " of dataset 1 of Zip".
std::string OfSide(size_t side);

}  // namespace penstock
