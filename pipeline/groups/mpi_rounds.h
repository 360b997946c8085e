// Rounds of all processes of an MPI job, in which a failure is one of the
// things that a host may bring.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "formats/files/status_or.h"

namespace penstock {

// How a host takes part in a round. MPI's collectives cannot be given up, so
// that a host which fails, leaves or hears of a failure takes part as well.
enum class Part : uint32_t {
  kCall,     // brings what it was asked to
  kFailing,  // brings a cause
  kHeard,    // was told that some host fails, in this round or the next
  kLeaving,
};

struct RoundHead {
  uint32_t part = 0;
  uint32_t call = 0;  // which call; the same of all
  uint64_t bytes = 0;
};

// One round after the other on a communicator.
//
// Threads: one at a time.
class MpiRounds {
 public:
  explicit MpiRounds(MPI_Comm comm);

  bool is_under_way() const { return phase_ != Phase::kNone; }
  // Brings to[h] to host h.
  // Errors:  kResourceExhausted for more bytes than MPI counts.
  Status Begin(Part part, uint32_t call, const std::vector<std::string>& to);
  // Goes on as far as it can without waiting. True once the round is over.
  bool Advance();

  // Of the round that is over, by host.
  const std::vector<RoundHead>& heads() const { return theirs_; }
  std::vector<std::string> TakeBrought();

 private:
  enum class Phase { kNone, kHeads, kBytes };

  const MPI_Comm comm_;
  const size_t hosts_;
  Phase phase_ = Phase::kNone;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::vector<RoundHead> mine_;
  std::vector<RoundHead> theirs_;
  std::vector<int> out_sizes_;
  std::vector<int> out_begins_;
  std::vector<int> in_sizes_;
  std::vector<int> in_begins_;
  std::string out_;
  std::string in_;
};

}  // namespace penstock
