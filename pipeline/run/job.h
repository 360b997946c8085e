// What both placements are made from: the checked graph, this host's part of
// it, and the two stages that touch data.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/build/decode.h"
#include "pipeline/build/place.h"
#include "pipeline/contract.h"
#include "pipeline/graph/stages.h"
#include "pipeline/topology.h"

namespace penstock {

// Immutable; shared by everything that runs.
struct Job {
  Stages stages;
  Topology topology;
  std::vector<uint32_t> shards;  // of this host, rising
  uint64_t rows_per_shard = 0;
  uint64_t fingerprint = 0;  // see Pipeline::Fingerprint()
  Decoder decoder;
  Placer placer;

  const Contract& contract() const { return placer.contract(); }
  // Of this host's part of a batch.
  uint64_t BatchBytes(size_t shape) const {
    return shards.size() * rows_per_shard *
           (contract().RowBytes(shape) + sizeof(uint64_t));
  }
};

}  // namespace penstock
