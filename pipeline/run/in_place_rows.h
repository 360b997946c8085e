// Rows in memory that decoding would but copy.
#pragma once

#include <optional>

#include "pipeline/graph/source_records.h"
#include "pipeline/run/job.h"
#include "pipeline/tables/table_rows.h"

namespace penstock {

// Those of `records`, where all of them are rows of tables whose columns are
// the features of a batch, as a decoder would give them, or more; otherwise
// nullopt. The tables are borrowed.
//
// Cost:    a look at each row's lengths.
std::optional<TableRows> RowsInPlace(const Job& job,
                                     const SourceRecords& records);

}  // namespace penstock
