// Where a run is: a position, never data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/shared_list.h"

namespace penstock {

class FileSystem;  // formats/files/file.h

// What became of the rows of the global stream, the same on every host.
struct PipelineCounts {
  uint64_t records = 0;   // in batches; of FlatMap, rows that it made
  uint64_t rows = 0;      // of weight 1
  uint64_t pad_rows = 0;  // of weight 0
  // Too long, leftover under Leftover::kDrop, filtered; records that FlatMap
  // made no row of.
  uint64_t dropped = 0;
  uint64_t truncated = 0;  // cut to the longest length
  // Batches made before they were full, as the rows that waited took more than
  // CompileOptions::waiting_bytes; with shard_by also as 16 parts of one host
  // waited for those of others.
  uint64_t forced = 0;

  bool operator==(const PipelineCounts&) const = default;
};

// One thing that decides the batches of a run: "data", "shuffle", "tokenize".
struct StatePart {
  std::string name;
  uint64_t fingerprint = 0;

  bool operator==(const StatePart&) const = default;
};

// A piece of a record that was read and is in no batch yet. Of a graph with
// FlatMap `record` is that of a row: the record's id times the most rows that
// one can become, and the row's number.
struct HeldPiece {
  uint64_t record = 0;
  uint32_t begin = 0;
  uint32_t bin = 0;  // what waits in one row has one number

  bool operator==(const HeldPiece&) const = default;
};

// Where a file, or a member of one, that is read in sequence begins.
struct UnitPlace {
  uint64_t unit = 0;          // counted over all files
  uint64_t first_record = 0;  // the id of its first record

  bool operator==(const UnitPlace&) const = default;
};

// Rows that a Mix has taken of one of its datasets, those that wait included.
struct MixTaken {
  uint64_t before = 0;  // in the epochs before this one
  uint64_t rows = 0;    // in this epoch

  bool operator==(const MixTaken&) const = default;
};

// A plan of a run that changed on its way, and where it began.
struct PlanBegin {
  SharedList<StatePart> graph = {};
  uint64_t step = 0;
  uint64_t epoch = 0;
  uint64_t position = 0;
  PipelineCounts counts = {};
  // Where its Mix began anew; empty where the order went on.
  std::vector<MixTaken> taken = {};

  bool operator==(const PlanBegin&) const = default;
};

// The position after a step that the devices consumed. It is the same on every
// host and says nothing of hosts, devices, threads or epochs to come.
//
// Size:  16 bytes for each row that waits, which are fewer than a batch for
//        each length; Explain() prints the bound. 16 bytes a dataset of a Mix;
//        for each plan of a run that changed, its graph. Nothing grows with
//        the position.
struct State {
  // See Pipeline::graph(). A state goes on only where they are the same.
  SharedList<StatePart> graph = {};
  uint64_t epoch = 0;
  uint64_t step = 0;           // consumed since the run began
  uint64_t step_in_epoch = 0;  // consumed in this epoch
  uint64_t position = 0;       // rows of the order taken in this epoch
  // What waits, as the arranger holds it.
  SharedList<HeldPiece> held = {};
  // What waited where the run changed and is not arranged again yet: it comes
  // before the row at `position`. With FlatMap: the row with which the last
  // record before `position` goes on, where rows of it are still to come.
  std::vector<HeldPiece> ahead = {};
  // Where the last view of the graph is a Mix: of each of its datasets.
  std::vector<MixTaken> taken = {};
  // All plans of the run so far, this one last; empty while it is the only one.
  SharedList<PlanBegin> lineage = {};
  // Only where records are read in sequence: the first record of the window
  // that is being read, and of the units that the records above lie in; of 16
  // units at most, as behind the last one all are read. Of a zip counted over
  // the files of its datasets that are read in sequence, 16 of each.
  uint64_t window_begin = 0;
  std::vector<UnitPlace> units = {};
  PipelineCounts counts = {};  // since the run began

  bool operator==(const State&) const = default;
};

// A short JSON text with a checksum.
std::string FormatState(const State& state);
// Errors:  kDataLoss for damaged text; kUnimplemented for another version.
StatusOr<State> ParseState(std::string_view text);

// Atomic on disk; errors name the file.
Status SaveState(FileSystem& files, const std::string& path,
                 const State& state);
StatusOr<State> LoadState(FileSystem& files, const std::string& path);

}  // namespace penstock
