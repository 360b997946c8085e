// Real vocabularies and texts, which are not part of the project.
#pragma once

#include <string>
#include <string_view>

namespace penstock::testing {

// The path of `name` ("corpora/moby.txt") in the folder that the environment
// variable PENSTOCK_FIXTURES names, else in ../shared/fixtures beside the
// checkout. Empty where it is in neither.
std::string FindFixture(std::string_view name);

// Why a test without the fixture is skipped.
std::string MissingFixture(std::string_view name);

// The PJRT plugin that the environment variable PENSTOCK_PJRT_PLUGIN names,
// else the one of tools/setup --pjrt. Empty where neither is.
std::string FindPjrtPlugin();

}  // namespace penstock::testing
