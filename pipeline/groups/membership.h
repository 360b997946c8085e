// What the ends of one host share: its link to the coordinator, and what came
// over it.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/group.h"
#include "pipeline/groups/frame.h"
#include "pipeline/groups/host_words.h"
#include "pipeline/groups/joined_group.h"
#include "pipeline/groups/link.h"
#include "pipeline/groups/ticker.h"

namespace penstock {

// Threads: as Group, for each channel.
class Membership final : public LinkListener {
 public:
  explicit Membership(JoinOptions options)
      : options_(std::move(options)),
        process_(getpid()),
        channels_(options_.channels),
        heard_(std::chrono::steady_clock::now()),
        ticked_(heard_) {
    for (Channel& channel : channels_) channel.pulses.resize(options_.hosts);
  }

  // Says hello and waits for the others.
  Status Join(const Connect& connect);

  // Of a process that was forked off: its threads are in the other.
  bool is_forked() const { return getpid() != process_; }
  uint32_t hosts() const { return options_.hosts; }
  uint32_t host() const { return options_.host; }
  const JoinOptions& options() const { return options_; }

  // `parts` is one for all hosts under kGather, otherwise one for each.
  StatusOr<std::vector<std::string>> Meet(uint8_t number, FrameKind call,
                                          std::vector<std::string> parts);
  void Fail(uint8_t number, const Status& why);
  Status failed(uint8_t number);
  void Beat(uint8_t number, std::string_view report);
  std::vector<HostPulse> Pulses(uint8_t number);
  void Leave(uint8_t number);

  void OnFrame(std::string bytes) override;
  void OnBroken(std::string_view why) override;

 private:
  struct Channel {
    uint64_t round = 0;
    std::optional<std::vector<std::string>> taken;  // of this round
    Status failed;
    Status asked;  // this host's own cause, until the coordinator has spoken
    std::chrono::steady_clock::time_point verdict;
    uint64_t beats = 0;
    std::string report;
    std::vector<HostPulse> pulses;
  };

  void Tick();
  // These are called with the mutex held.
  bool Ask(uint8_t number, const Status& why);
  bool StoodStill(std::chrono::steady_clock::time_point now) const;
  void FailAll(const Status& why);
  std::string Coordinator() const {
    return NameOfHost(0, options_.coordinator);
  }

  const JoinOptions options_;
  const pid_t process_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::vector<Channel> channels_;
  bool welcome_ = false;
  std::chrono::steady_clock::time_point heard_;
  std::chrono::steady_clock::time_point ticked_;
  bool stood_still_ = false;

  // Set by Join(), ended by the destructor in turn.
  std::unique_ptr<Link> link_;
  std::optional<Ticker> ticker_;
};

}  // namespace penstock
