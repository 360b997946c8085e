// Rows of columns behind other rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "formats/example/examples.h"
#include "formats/tokens/megatron_tokens.h"
#include "pipeline/build/rows.h"

namespace penstock {

// All rows of `from` go behind those of `to`, which is of its type or empty.
void AppendColumn(const Column& from, Column& to);

// Row `row` of `from` goes behind the rows of `to`, which has the same columns
// or none.
void AppendRow(const Examples& from, size_t row, Examples& to);

// Takes the memory that AppendRow() of these rows needs at once.
void ReserveRows(std::span<const RowRef> rows, Examples& to);

// A row without a value.
void AppendNoValues(Examples& to);

// A row of one column, kMegatronFeature, for each.
void AppendTokenRows(std::span<const std::string_view> records, TokenType type,
                     Examples& to);

// A row of one column, "text", for each.
void AppendTexts(std::span<const std::string_view> texts, Examples& to);

// Of rows from `first_row` on, keeps `most` values each, at their fronts or at
// their backs. Not of bytes.
void KeepEnds(size_t first_row, uint64_t most, bool backs, Column& column);

}  // namespace penstock
