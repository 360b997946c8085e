// Inputs from which a fuzz target starts where there is no fuzzer.
#pragma once

#include <string>
#include <vector>

namespace penstock::testing {

// Defined by the x_seeds.cc of each target.
std::vector<std::string> FuzzSeeds();

}  // namespace penstock::testing
