#include "pipeline/state/checksum.h"

#include <vector>

#include "tokenizer/interface/fingerprint.h"

namespace penstock {
namespace {

void AddGraph(const std::vector<StatePart>& graph, Fingerprinter& hash) {
  hash.Add(graph.size());
  for (const StatePart& part : graph) {
    hash.Add(part.name).Add(part.fingerprint);
  }
}

void AddHeld(const std::vector<HeldPiece>& held, Fingerprinter& hash) {
  hash.Add(held.size());
  for (const HeldPiece& piece : held) {
    hash.Add(piece.record).Add(piece.begin).Add(piece.bin);
  }
}

void AddCounts(const PipelineCounts& counts, Fingerprinter& hash) {
  hash.Add(counts.records)
      .Add(counts.rows)
      .Add(counts.pad_rows)
      .Add(counts.dropped)
      .Add(counts.truncated)
      .Add(counts.forced);
}

void AddTaken(const std::vector<MixTaken>& taken, Fingerprinter& hash) {
  hash.Add(taken.size());
  for (const MixTaken& rows : taken) hash.Add(rows.before).Add(rows.rows);
}

}  // namespace

uint64_t VersionOf(const State& state) {
  return state.ahead.empty() && state.taken.empty() && state.lineage.empty()
             ? kStateVersion
             : kLineageVersion;
}

uint64_t Checksum(const State& state) {
  Fingerprinter hash;
  const uint64_t version = VersionOf(state);
  hash.Add(version);
  AddGraph(state.graph, hash);
  hash.Add(state.epoch)
      .Add(state.step)
      .Add(state.step_in_epoch)
      .Add(state.position);
  AddHeld(state.held, hash);
  hash.Add(state.window_begin).Add(state.units.size());
  for (const UnitPlace& place : state.units) {
    hash.Add(place.unit).Add(place.first_record);
  }
  AddCounts(state.counts, hash);
  if (version == kStateVersion) return hash.Finish();
  AddHeld(state.ahead, hash);
  AddTaken(state.taken, hash);
  for (const PlanBegin& plan : state.lineage) {
    AddGraph(plan.graph, hash);
    hash.Add(plan.step).Add(plan.epoch).Add(plan.position);
    AddCounts(plan.counts, hash);
    AddTaken(plan.taken, hash);
  }
  return hash.Finish();
}

}  // namespace penstock
