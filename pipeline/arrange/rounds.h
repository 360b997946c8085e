// Where the streamed placement's records come from: rounds of positions that
// follow each other.
//
// Implementations form a star around this header: indexed_rounds,
// sequential_rounds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "formats/index/record_files.h"
#include "pipeline/state.h"

namespace penstock {

// Some positions of one epoch and this host's records among them.
struct Round {
  uint64_t epoch = 0;
  std::vector<uint64_t> positions;  // of all hosts, rising; may be empty
  // After this round, how many positions have been read in the epoch.
  uint64_t positions_read = 0;
  bool ends_epoch = false;
  // Of this host's positions, in their order.
  std::vector<uint64_t> ids;
  GatheredRecords records;  // after Load()
};

struct RoundOptions {
  uint32_t shards = 1;
  std::vector<bool> mine;  // [shards]: this host's
  // Positions of a round for each shard. Says nothing about what comes out:
  // only how much is read at once.
  uint64_t positions_per_shard = 64;
  uint64_t epochs = 1;  // 0 for ever
};

// Threads: Seek() and Next() from one, the others from any number.
class RoundSource {
 public:
  virtual ~RoundSource() = default;

  // Goes on after `state`: first a round of its pending positions, where there
  // are any, then from positions_read on. Before the first Next().
  // Errors:  kFailedPrecondition for positions that the data does not have;
  //          where it is read in sequence, Next() gives it.
  virtual Status Seek(const State& state) = 0;

  // The next round; nullopt after the last epoch.
  virtual StatusOr<std::optional<Round>> Next() = 0;

  // Brings the records of `round` into memory, where Next() has not.
  virtual Status Load(Round& round) const = 0;

  // Where a record that a round held came from.
  virtual std::string Locate(uint64_t record_id) const = 0;

  // Bytes of records that Next() holds besides those in rounds, at most.
  virtual uint64_t BufferBytes() const = 0;
};

}  // namespace penstock
