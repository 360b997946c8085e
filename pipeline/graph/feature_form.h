// In which form a feature lies in a batch: its type, shape and padding.
#pragma once

#include <string>

#include "formats/files/status.h"
#include "pipeline/contract.h"
#include "pipeline/dataset.h"

namespace penstock {

bool IsInteger(ElementType type);
bool IsFloatType(ElementType type);

// Errors:  kInvalidArgument for a type that the feature cannot have, a shape
//          without values, and for what only rows of any length have.
Status CheckForm(const Feature& feature);

// Gives a feature with a shape the length that its rows have.
void SetLength(Feature& feature);

// Whether a tensor can be padded with `value`.
Status CheckPadValue(const std::string& tensor, ElementType type, double value);

}  // namespace penstock
