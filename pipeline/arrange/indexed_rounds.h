// Rounds of records that are reached by number.
#pragma once

#include <memory>

#include "formats/index/record_files.h"
#include "pipeline/arrange/rounds.h"
#include "pipeline/order/order.h"

namespace penstock {

// Reads nothing before Load(), so restoring costs only the pending records.
std::unique_ptr<RoundSource> MakeIndexedRounds(
    std::shared_ptr<const RecordFiles> files, Order order,
    RoundOptions options);

}  // namespace penstock
