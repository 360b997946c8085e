// What a conversion did, for programs.
#pragma once

#include <string>

#include "tools/datagen/conversion.h"

namespace penstock {

// One JSON object: what was read and left out, what was written and where.
std::string ConversionJson(const ConversionOptions& options,
                           const ConversionResult& result);

}  // namespace penstock
