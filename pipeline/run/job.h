// What both placements are made from: the checked graph, this host's part of
// it, and the two stages that touch data.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/arrange/rows.h"
#include "pipeline/arrange/steps.h"
#include "pipeline/batch.h"
#include "pipeline/build/buffer_pool.h"
#include "pipeline/build/place.h"
#include "pipeline/build/source_decoders.h"
#include "pipeline/compile_options.h"
#include "pipeline/contract.h"
#include "pipeline/graph/stages.h"
#include "pipeline/run/stage_accounts.h"
#include "pipeline/tasks/lane.h"
#include "pipeline/tasks/task_queue.h"
#include "pipeline/topology.h"

namespace penstock {

// Bytes of records that one task brings into memory at once, at most.
inline constexpr uint64_t kChunkBytes = 1 << 20;

// What a task aims at: what is decoded from it still is in the processor's
// cache when it is placed.
inline constexpr uint64_t kPartBytes = 1 << 17;

// Immutable; shared by everything that runs.
struct Job {
  Stages stages;
  // The first record of each source, then the end; where indexed.
  std::vector<uint64_t> first_ids;
  Topology topology;
  SharedList<StatePart> graph;  // see Pipeline::graph()
  // CompileOptions::changed; the datasets of a Mix that is the last view, or 0.
  std::vector<Change> changed;
  size_t mixed = 0;
  // Of a batch of each shape, or of any: those that this host feeds, rising.
  std::vector<std::vector<uint32_t>> shape_rows;
  uint64_t max_record_bytes = 0;
  RowIds row_ids;
  SourceDecoders decoder;
  Placer placer;
  // Of batches that nobody uses any more.
  std::shared_ptr<BufferPool> buffers;
  // What the stages do; the one thing here that changes.
  std::shared_ptr<StageAccounts> accounts = std::make_shared<StageAccounts>();
  // One record at a time that is larger than kChunkBytes.
  std::shared_ptr<Lane> lane;

  const Contract& contract() const { return placer.contract(); }
  const std::vector<uint32_t>& RowsOf(size_t shape) const {
    return shape_rows[shape_rows.size() > 1 ? shape : 0];
  }
  // The number of the source that a record is of.
  size_t SourceOf(uint64_t record_id) const;
  // Of the rows that a record becomes, decoded, at most.
  uint64_t MostDecodedBytes() const {
    return row_ids.most_rows * decoder.RowBytes(contract().lengths.back());
  }
  // Of this host's part of a batch, of `pieces`, with `held` in its
  // state.
  uint64_t BatchBytes(size_t shape, size_t pieces, size_t held) const;
  // Of any shape, at most.
  uint64_t MostBatchBytes(size_t pieces, size_t held) const;
  uint64_t BatchBytes(const Step& step) const {
    return BatchBytes(step.assignment.shape, step.assignment.pieces.size(),
                      step.after.held.size());
  }
  // SourceDecoders::Decode, whose time is charged to its stages; `bytes` were
  // read of the records.
  Status Decode(std::span<const std::string_view> records, uint64_t bytes,
                std::span<const uint64_t> ids, uint64_t epoch,
                const Locate& locate, DecodeScratch& scratch,
                DecodedRows& out) const;
  // This host's part of a step, without tensors.
  Batch NewBatch(const Step& step) const;
  // All that it says of itself but the shape and the epoch, into `batch`.
  void Describe(const Step& step, Batch& batch) const;
  // Gives tensors to a batch of a shape.
  // Errors:  kResourceExhausted.
  Status GiveMemory(Batch& batch) const;
};

// The rows that a host feeds: those of its shards. Where `rows` does not
// divide, those from `rows` on pad.
std::vector<uint32_t> RowsOf(const Topology& topology, uint32_t host,
                             uint64_t rows);
// Those of Job::shape_rows.
std::vector<std::vector<uint32_t>> RowsOfShapes(const Topology& topology,
                                                uint32_t host,
                                                const Contract& contract);

// The pieces of row `row` of an assignment; none behind its rows.
[[gnu::always_inline]] inline std::span<const Piece> PiecesOf(
    const Assignment& assignment, size_t row) {
  if (row + 1 >= assignment.row_offsets.size()) return {};
  return std::span(assignment.pieces)
      .subspan(assignment.row_offsets[row],
               assignment.row_offsets[row + 1] - assignment.row_offsets[row]);
}

}  // namespace penstock
