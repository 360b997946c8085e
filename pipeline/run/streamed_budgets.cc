#include "pipeline/run/streamed_budgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "pipeline/run/checks.h"
#include "pipeline/run/open_batches.h"

namespace penstock {

std::vector<ByteBudget> StreamedBudgets(const Job& job,
                                        const RoundSource& source,
                                        const Arranger& arranger,
                                        const StreamedOptions& options,
                                        const StreamedRun& run) {
  const SourceDecoders& decoder = job.decoder;
  const uint64_t threads = run.threads;
  const uint64_t hosts = job.topology.hosts;
  const uint64_t records = (options.rows_of_round + hosts - 1) / hosts;
  const uint64_t round = records * job.MostDecodedBytes();
  const uint64_t ahead = std::max(options.read_ahead_bytes, round) + round;
  const uint64_t waiting = arranger.MostHeldBytes();
  const uint64_t most_rows = job.row_ids.most_rows;
  const std::string made =
      most_rows == 1 ? "" : fmt::format(", up to {} made of each,", most_rows);
  std::vector<ByteBudget> budgets = {
      {fmt::format("records being read and decoded, {} at once, of at most {} "
                   "bytes each",
                   threads, kChunkBytes),
       threads * (kChunkBytes + decoder.WorkBytes(kChunkBytes, records))},
      {fmt::format("one larger record at a time, of at most {} bytes",
                   job.max_record_bytes),
       job.max_record_bytes + decoder.WorkBytes(job.max_record_bytes, 1)},
      {fmt::format("rounds of {} rows{} read and decoded ahead",
                   options.rows_of_round, made),
       ahead},
      // A copy is made of those that stay.
      {"rows that wait for a batch, of all hosts", 2 * waiting}};
  if (run.places_early) {
    budgets.push_back(
        {"as many on their way to batches that are not whole",
         ahead + ahead / job.MostDecodedBytes() * sizeof(EarlyRow)});
    budgets.push_back(
        {"batches that are not whole", OpenBatches::MostBytes(job, arranger)});
  }
  if (most_rows > 1) {
    budgets.push_back(
        {"rows that FlatMap makes at once, before they are ahead",
         threads * options.rows_of_part * job.MostDecodedBytes()});
  }
  if (run.has_group) {
    budgets.push_back(
        {"rows on their way between hosts", 2 * (waiting + hosts * round)});
  }
  if (source.BufferBytes() > 0) {
    budgets.push_back({source.meets()
                           ? "records of this host's files that hosts were "
                             "told of, and a window of records"
                           : "records read in sequence: a window, or those of "
                             "a Zip side by side",
                       source.BufferBytes()});
  }
  return budgets;
}

}  // namespace penstock
