// The coordinator's side of a group of processes: what host 0 keeps of all.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/group.h"
#include "pipeline/groups/frame.h"
#include "pipeline/groups/grpc_group.h"
#include "pipeline/groups/link.h"
#include "pipeline/groups/ticker.h"

namespace penstock {

struct MeetingOptions {
  uint32_t hosts = 1;
  // Rounds of each channel are in an order of their own; a cause that a host
  // gives ends one channel, a death all.
  uint8_t channels = 1;
  std::string version = {};  // of all hosts
  std::string who = {};      // the process of host 0, for messages
  HostTimes times = {};
};

// Hosts bring, and are given what all brought; the first cause that any of them
// gives is sent to all. Everything that is exchanged passes through here: bytes
// a round times hosts cross host 0's network twice.
//
// Threads: any number at a time.
class Meeting {
 public:
  // Errors:  kResourceExhausted where there is no thread to watch hosts.
  static StatusOr<std::unique_ptr<Meeting>> Start(MeetingOptions options);
  // All guests must be gone.
  ~Meeting() = default;

  // Someone has come over `link`, which must live until the listener was told
  // that it broke. The listener may be destroyed after that.
  std::unique_ptr<LinkListener> Receive(Link& link);

  // Waits until all other hosts have left or are dead, at most `leave_ns`: also
  // for those that are late and then hear why they came in vain.
  void AwaitOthersLeft();

 private:
  class Guest;

  struct Host {
    Link* link = nullptr;  // null before it came and after it broke
    std::string who;
    int64_t heard_ns = 0;
    bool here = false;  // has come
    bool left = false;  // on all channels
    bool dead = false;
  };

  struct Channel {
    uint64_t round = 1;
    uint32_t arrived = 0;
    FrameKind call = FrameKind::kGather;
    std::vector<std::vector<std::string>> brought;  // [hosts]
    std::vector<bool> has_brought;
    std::vector<bool> left;
    std::vector<HostPulse> pulses;
    bool pulses_are_new = false;
    Status failed;
  };

  explicit Meeting(MeetingOptions options);

  void Hear(Guest& guest, std::string_view bytes);
  void Lose(Guest& guest, std::string_view why);
  void Tick();

  // These are called with the mutex held.
  bool StoodStill(int64_t now_ns) const;
  void Hello(Guest& guest, const Frame& frame);
  std::string Unfit(uint32_t host, const Frame& hello) const;
  void Bring(uint32_t host, Channel& channel, uint8_t number, Frame frame);
  void EndRound(Channel& channel, uint8_t number);
  void Leave(uint32_t host, Channel& channel, uint8_t number);
  void Fail(Channel& channel, uint8_t number, const Status& why);
  void FailAll(const Status& why);
  void TellPulses(Channel& channel, uint8_t number);
  void SendAll(const std::string& frame);
  void Silent(uint32_t host);

  const MeetingOptions options_;
  const int64_t begin_ns_;

  std::mutex mutex_;
  std::condition_variable left_;
  // Guarded by mutex_.
  std::vector<Host> hosts_;
  std::vector<Channel> channels_;
  uint32_t came_ = 0;
  int64_t ticked_ns_;

  std::optional<Ticker> ticker_;
};

}  // namespace penstock
