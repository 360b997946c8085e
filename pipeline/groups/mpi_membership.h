// What the ends of one process of an MPI job share.
#pragma once

#include <mpi.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "formats/files/start_thread.h"
#include "formats/files/status_or.h"
#include "pipeline/group.h"
#include "pipeline/groups/frame.h"
#include "pipeline/groups/mpi_rounds.h"

namespace penstock {

// Its thread alone calls MPI.
//
// Threads: as Group, for each channel.
class MpiMembership {
 public:
  MpiMembership(uint32_t hosts, uint32_t host, uint8_t channels)
      : hosts_(hosts), host_(host), heard_(hosts) {
    MPI_Comm_dup(MPI_COMM_WORLD, &control_);
    for (uint8_t c = 0; c < channels; ++c) {
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      channels_.emplace_back(comm, hosts);
    }
  }
  // Once all channels have ended.
  ~MpiMembership() {
    if (driver_.joinable()) driver_.join();
    for (Channel& channel : channels_) MPI_Comm_free(&channel.comm);
    MPI_Comm_free(&control_);
  }

  Status Start() {
    PENSTOCK_ASSIGN_OR_RETURN(driver_, StartThread([this] { Drive(); }));
    return OkStatus();
  }

  uint32_t hosts() const { return hosts_; }
  uint32_t host() const { return host_; }

  // `parts` is one for all hosts under kGather, otherwise one for each.
  StatusOr<std::vector<std::string>> Meet(uint8_t number, FrameKind call,
                                          std::vector<std::string> parts);
  void Fail(uint8_t number, const Status& why);
  Status failed(uint8_t number);
  void Beat(uint8_t number, std::string_view report);
  std::vector<HostPulse> Pulses(uint8_t number);
  void Leave(uint8_t number);

 private:
  struct Channel {
    Channel(MPI_Comm comm, uint32_t hosts)
        : comm(comm), rounds(comm), pulses(hosts) {}

    MPI_Comm comm;
    MpiRounds rounds;  // of the driver

    // Guarded by the mutex.
    FrameKind call = FrameKind::kGather;
    std::optional<std::vector<std::string>> to;  // a call that waits
    std::optional<std::vector<std::string>> taken;
    Status asked;
    Status failed;
    std::chrono::steady_clock::time_point verdict;
    bool heard = false;  // that some host fails
    bool leaving = false;
    bool poked = false;  // the others were told
    bool ended = false;
    std::vector<HostPulse> pulses;
  };

  void Drive();
  // These are called with the mutex held.
  bool DriveOne(Channel& channel, int number);
  void Begin(Channel& channel);
  void End(Channel& channel);
  void Hear();
  void HearRest();  // without the mutex
  void Poke(int number);

  const uint32_t hosts_;
  const uint32_t host_;
  MPI_Comm control_ = MPI_COMM_NULL;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Channel> channels_;
  // Of the driver.
  std::vector<MPI_Request> pokes_;
  std::vector<uint32_t> heard_;  // [hosts]: pokes of each

  std::jthread driver_;
};

}  // namespace penstock
