// Rounds of records that are reached by number.
#pragma once

#include <memory>

#include "pipeline/graph/source_records.h"
#include "pipeline/order/order.h"
#include "pipeline/read/rounds.h"

namespace penstock {

// Reads nothing before Load(), so going on from a state costs only the rows
// that wait in it.
std::unique_ptr<RoundSource> MakeIndexedRounds(
    std::shared_ptr<const SourceRecords> files,
    std::shared_ptr<const Order> order, RoundOptions options);

}  // namespace penstock
