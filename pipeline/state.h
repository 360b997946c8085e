// Where a run is: a position, never data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"

namespace penstock {

class FileSystem;  // formats/files/file.h

// The position after a step that the devices consumed. It is the same on every
// host and says nothing of hosts or threads.
//
// Size:  constant when planned. When streamed, one number for each row that was
//        read and not yet put into a batch, of which Explain() prints the
//        bound.
struct State {
  // Of the dataset and everything that decides its batches; see
  // Pipeline::Fingerprint().
  uint64_t fingerprint = 0;
  uint64_t epoch = 0;
  uint64_t step = 0;           // consumed since the run began
  uint64_t step_in_epoch = 0;  // consumed in this epoch
  // Streamed only: positions read in this epoch, and those of them that are in
  // no batch yet, as they stand in each shard's buckets.
  uint64_t positions_read = 0;
  std::vector<uint64_t> pending = {};

  bool operator==(const State&) const = default;
};

// A short JSON text with a checksum.
std::string FormatState(const State& state);
// Errors:  kDataLoss for damaged text; kUnimplemented for a later version.
StatusOr<State> ParseState(std::string_view text);

// Atomic on disk; errors name the file.
Status SaveState(FileSystem& files, const std::string& path,
                 const State& state);
StatusOr<State> LoadState(FileSystem& files, const std::string& path);

}  // namespace penstock
