// Batches of a streamed run that rows go to as soon as their places are known,
// while the caches still have what was decoded.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pipeline/arrange/steps.h"
#include "pipeline/build/batch_ring.h"
#include "pipeline/build/row_store.h"
#include "pipeline/read/rounds.h"
#include "pipeline/run/job.h"
#include "pipeline/run/row_exchange.h"
#include "pipeline/run/streamed_work.h"

namespace penstock {

// Threads: one at a time.
class OpenBatches {
 public:
  // Whether an arranger and a run are of the kind of which rows can be placed
  // early: the arranger says where, and no batch has rows of two epochs.
  static bool Possible(const Steps& steps) {
    return steps.arranger().places_at_once() && !steps.carries();
  }
  // Of this host, of all queues.
  static uint64_t MostBytes(const Job& job, const Arranger& arranger);

  OpenBatches(std::shared_ptr<const Job> job,
              std::shared_ptr<const RoundSource> source);

  // Starts placing the rows of `store` that wait and that no other host feeds,
  // which leaves nothing of them but their tags. `home` is of the tasks that
  // decoded the newest of them.
  void Place(const Steps& steps, const RowExchange& exchange, RowStore& store,
             BatchRing& ring, const std::shared_ptr<TaskHome>& home);

  // Hands the batch on that the rows of `fed` went to, or one without rows.
  void Push(FedStep fed, uint64_t bytes, BatchRing& ring,
            const std::shared_ptr<TaskHome>& home);

 private:
  struct Open {
    std::shared_ptr<StreamedWork> work;  // null: there is none
    std::shared_ptr<BatchRing::Slot> slot;
    size_t rows = 0;  // of all hosts, that were looked at
  };

  Open Begin(size_t shape, uint64_t epoch, BatchRing& ring) const;

  const std::shared_ptr<const Job> job_;
  const std::shared_ptr<const RoundSource> source_;
  std::vector<Open> open_;  // [queues]
};

}  // namespace penstock
