// Temporary files that killed programs have left beside an output.
#pragma once

#include <string>
#include <string_view>

namespace penstock {

// Removes them from the folder of `output` and says so on stderr, in the name
// of `program`. What cannot be removed is no error.
void ClearLeftovers(std::string_view program, const std::string& output);

}  // namespace penstock
