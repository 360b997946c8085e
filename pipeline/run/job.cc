#include "pipeline/run/job.h"

#include <algorithm>
#include <numeric>

#include "pipeline/build/batch_layout.h"

namespace penstock {

size_t Job::SourceOf(uint64_t record_id) const {
  const auto after = std::ranges::upper_bound(first_ids, record_id);
  return static_cast<size_t>(after - first_ids.begin()) - 1;
}

uint64_t Job::BatchBytes(size_t shape, size_t pieces, size_t held) const {
  const size_t rows = RowsOf(shape).size();
  const uint64_t tensors =
      penstock::BatchBytes(contract(), shape, static_cast<int64_t>(rows));
  // An offset of each row, and a record of each piece.
  return tensors + rows * 4 + pieces * (sizeof(Piece) + 8) +
         held * sizeof(HeldPiece);
}

uint64_t Job::MostBatchBytes(size_t pieces, size_t held) const {
  uint64_t most = 0;
  for (size_t shape = 0; shape < contract().shapes(); ++shape) {
    most = std::max(most, BatchBytes(shape, pieces, held));
  }
  return most;
}

Status Job::Decode(std::span<const std::string_view> records, uint64_t bytes,
                   std::span<const uint64_t> ids, uint64_t epoch,
                   const Locate& locate, DecodeScratch& scratch,
                   DecodedRows& out) const {
  scratch.tokenized = {};
  accounts->read.Count(ids.size(), bytes);
  accounts->decode.Count(ids.size(), bytes);
  const StageTimer timer(accounts->decode);
  const Status decoded =
      decoder.Decode(records, ids, epoch, locate, scratch, out);
  const Tokenized& tokenized = scratch.tokenized;
  if (tokenized.rows > 0) {
    accounts->tokenize.Count(tokenized.rows, tokenized.bytes);
    accounts->tokenize.Charge(tokenized.ns);
    accounts->decode.Charge(-tokenized.ns);
  }
  return decoded;
}

Batch Job::NewBatch(const Step& step) const {
  Batch batch;
  batch.shape = step.assignment.shape;
  batch.epoch = step.epoch;
  Describe(step, batch);
  return batch;
}

void Job::Describe(const Step& step, Batch& batch) const {
  const Assignment& assignment = step.assignment;
  const std::vector<uint32_t>& rows = RowsOf(assignment.shape);
  batch.step = step.after.step - 1;
  batch.row_offsets.resize(rows.size() + 1);
  for (size_t i = 0; i < rows.size(); ++i) {
    batch.row_offsets[i + 1] =
        batch.row_offsets[i] +
        static_cast<uint32_t>(PiecesOf(assignment, rows[i]).size());
  }
  const size_t pieces = batch.row_offsets.back();
  batch.record_ids.resize(pieces);
  if (stages.chunks()) batch.record_begins.resize(pieces);
  size_t next = 0;
  for (const uint32_t row : rows) {
    for (const Piece& piece : PiecesOf(assignment, row)) {
      if (stages.chunks()) batch.record_begins[next] = piece.begin;
      batch.record_ids[next++] = row_ids.RecordOf(piece.record);
    }
  }
  batch.state_after = step.after;
}

Status Job::GiveMemory(Batch& batch) const {
  return penstock::GiveMemory(contract(),
                              static_cast<int64_t>(RowsOf(batch.shape).size()),
                              *buffers, batch);
}

std::vector<uint32_t> RowsOf(const Topology& topology, uint32_t host,
                             uint64_t rows) {
  const uint64_t each = topology.RowsOfShard(rows);
  std::vector<uint32_t> fed;
  for (const uint32_t shard : topology.ShardsOf(host)) {
    const size_t begin = fed.size();
    fed.resize(begin + each);
    std::iota(fed.begin() + static_cast<std::ptrdiff_t>(begin), fed.end(),
              static_cast<uint32_t>(shard * each));
  }
  return fed;
}

std::vector<std::vector<uint32_t>> RowsOfShapes(const Topology& topology,
                                                uint32_t host,
                                                const Contract& contract) {
  std::vector<int64_t> each = contract.shape_rows;
  if (each.empty()) each.push_back(contract.rows);
  std::vector<std::vector<uint32_t>> fed;
  for (const int64_t rows : each) {
    fed.push_back(RowsOf(topology, host, static_cast<uint64_t>(rows)));
  }
  return fed;
}

}  // namespace penstock
