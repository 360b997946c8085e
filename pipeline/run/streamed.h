// The streamed placement: rows are decoded first, and the arranger runs on the
// lengths that come out.
//
// Shard s takes the positions p with p % shards == s. Hosts decode only their
// own shards' rows and tell each other the lengths, so that every host runs the
// same arithmetic over all shards: batches do not depend on the number of hosts
// either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "pipeline/agreement.h"
#include "pipeline/arrange/arranger.h"
#include "pipeline/arrange/rounds.h"
#include "pipeline/build/placement.h"
#include "pipeline/build/workers.h"
#include "pipeline/run/job.h"

namespace penstock {

struct StreamedOptions {
  ArrangeOptions arrange;
  // Of records and rows read ahead of the arranger.
  uint64_t read_ahead_bytes = 64ull << 20;
};

// `agreement` is borrowed; null where lengths are not needed. It must have the
// hosts of the job's topology.
std::unique_ptr<Placement> MakeStreamed(std::shared_ptr<const Job> job,
                                        std::unique_ptr<RoundSource> source,
                                        Agreement* agreement, Workers& workers,
                                        StreamedOptions options);

// Positions of a round for each shard.
uint64_t PositionsPerShard(uint64_t rows_per_shard);

// Rows that may wait in a shard before a batch is made with padding. Lengths
// that are alike in all shards stay far below it.
uint64_t RowLimit(uint64_t rows_per_shard, size_t queues);

}  // namespace penstock
