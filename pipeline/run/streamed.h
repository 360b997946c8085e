// The streamed placement: rows are decoded first, and the arranger runs on the
// lengths that come out.
//
// Positions are dealt to the hosts for decoding. Hosts tell each other the
// lengths, every host runs the same arithmetic over all rows, and a decoded row
// travels to who feeds it: batches do not depend on the number of hosts.
#pragma once

#include <cstdint>
#include <memory>

#include "pipeline/arrange/steps.h"
#include "pipeline/group.h"
#include "pipeline/read/rounds.h"
#include "pipeline/run/job.h"
#include "pipeline/run/placement.h"

namespace penstock {

struct StreamedOptions {
  uint64_t rows_of_round = 64;
  size_t rows_of_part = 64;  // that a task decodes at once
  // Of records and rows read ahead of the arranger.
  uint64_t read_ahead_bytes = 64ull << 20;
  // Of batches that are not whole. Where one for each queue is more, rows wait
  // outside of them.
  uint64_t open_bytes = 64ull << 20;
};

// `group` is borrowed; null where this host decodes all that it feeds and
// nobody's lengths matter to another.
std::unique_ptr<Placement> MakeStreamed(std::shared_ptr<const Job> job,
                                        std::shared_ptr<RoundSource> source,
                                        Group* group, TaskQueue& tasks,
                                        Steps steps, StreamedOptions options);

}  // namespace penstock
