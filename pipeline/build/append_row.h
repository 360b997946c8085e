// Rows of columns behind other rows.
#pragma once

#include <cstddef>

#include "formats/example/examples.h"

namespace penstock {

// All rows of `from` go behind those of `to`, which is of its type or empty.
void AppendColumn(const Column& from, Column& to);

// Row `row` of `from` goes behind the rows of `to`, which has the same columns
// or none.
void AppendRow(const Examples& from, size_t row, Examples& to);

// A row without a value.
void AppendNoValues(Examples& to);

}  // namespace penstock
