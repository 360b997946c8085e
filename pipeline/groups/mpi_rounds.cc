#include "pipeline/groups/mpi_rounds.h"

#include <fmt/format.h>

#include <limits>

namespace penstock {
namespace {

size_t SizeOf(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return static_cast<size_t>(size);
}

}  // namespace

MpiRounds::MpiRounds(MPI_Comm comm)
    : comm_(comm),
      hosts_(SizeOf(comm)),
      mine_(hosts_),
      theirs_(hosts_),
      out_sizes_(hosts_),
      out_begins_(hosts_),
      in_sizes_(hosts_),
      in_begins_(hosts_) {}

Status MpiRounds::Begin(Part part, uint32_t call,
                        const std::vector<std::string>& to) {
  constexpr uint64_t kMost = std::numeric_limits<int>::max();
  uint64_t bytes = 0;
  for (const std::string& one : to) {
    bytes += one.size();
    // What comes from all hosts is counted, too.
    if (one.size() <= kMost / hosts_) continue;
    return ResourceExhaustedError(fmt::format(
        "{} bytes for one of {} hosts in one round; MPI counts {} of all",
        one.size(), hosts_, kMost));
  }
  out_.clear();
  out_.reserve(bytes);
  for (size_t h = 0; h < hosts_; ++h) {
    mine_[h] = {.part = static_cast<uint32_t>(part),
                .call = call,
                .bytes = to[h].size()};
    out_begins_[h] = static_cast<int>(out_.size());
    out_sizes_[h] = static_cast<int>(to[h].size());
    out_ += to[h];
  }
  MPI_Ialltoall(mine_.data(), sizeof(RoundHead), MPI_BYTE, theirs_.data(),
                sizeof(RoundHead), MPI_BYTE, comm_, &request_);
  phase_ = Phase::kHeads;
  return OkStatus();
}

bool MpiRounds::Advance() {
  int done = 0;
  MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
  if (done == 0) return false;
  if (phase_ == Phase::kBytes) {
    phase_ = Phase::kNone;
    return true;
  }
  uint64_t bytes = 0;
  for (size_t h = 0; h < hosts_; ++h) {
    in_begins_[h] = static_cast<int>(bytes);
    in_sizes_[h] = static_cast<int>(theirs_[h].bytes);
    bytes += theirs_[h].bytes;
  }
  in_.resize(bytes);
  MPI_Ialltoallv(out_.data(), out_sizes_.data(), out_begins_.data(), MPI_BYTE,
                 in_.data(), in_sizes_.data(), in_begins_.data(), MPI_BYTE,
                 comm_, &request_);
  phase_ = Phase::kBytes;
  return false;
}

std::vector<std::string> MpiRounds::TakeBrought() {
  std::vector<std::string> brought;
  brought.reserve(hosts_);
  for (size_t h = 0; h < hosts_; ++h) {
    brought.push_back(in_.substr(static_cast<size_t>(in_begins_[h]),
                                 static_cast<size_t>(in_sizes_[h])));
  }
  return brought;
}

}  // namespace penstock
