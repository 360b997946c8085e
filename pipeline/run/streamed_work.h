// One batch of a streamed run: its rows are decoded, and go to their places.
#pragma once

#include <memory>

#include "pipeline/batch.h"
#include "pipeline/build/batch_ring.h"
#include "pipeline/read/rounds.h"
#include "pipeline/run/job.h"
#include "pipeline/run/row_exchange.h"

namespace penstock {

// `batch` is `fed`'s, empty.
std::shared_ptr<BatchWork> MakeStreamedWork(
    std::shared_ptr<const Job> job, std::shared_ptr<const RoundSource> source,
    FedStep fed, Batch batch);

}  // namespace penstock
