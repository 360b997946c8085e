// All hosts of a run: able to gather, to send to each other, to fail together
// and to see that each lives.
//
// Implementations form a star around this header: solo_group, thread_group,
// joined_group (processes, over the links of grpc_group).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"

namespace penstock {

// What a host last told of itself.
struct HostPulse {
  uint64_t beats = 0;  // how often it has
  std::string report;  // free text: "step 17, queues 2 2 0 1"
};

// One host's end of a group in which every host makes the same calls of
// AllGather() and Exchange() in the same order. One group serves one run: its
// pipeline and its infeed.
//
// A run that cannot go on calls Fail(); so does every way to leave before the
// end. The first cause that any host gives is the one that all hosts get. An
// end that is destroyed while others wait for it, or come to, is kUnavailable
// to them.
//
// Threads: AllGather() and Exchange() from one at a time; the others from any.
class Group {
 public:
  virtual ~Group() = default;

  virtual uint32_t hosts() const = 0;
  virtual uint32_t host() const = 0;  // this one

  // Gives every host what each host brought, by host. Waits for the slowest.
  // Errors:  the cause that some host failed with; kUnavailable for a host that
  //          died.
  virtual StatusOr<std::vector<std::string>> AllGather(
      std::string_view mine) = 0;

  // to[h] is for host h; returns what each host had for this one. A host may
  // have something for itself.
  // Errors:  as AllGather().
  virtual StatusOr<std::vector<std::string>> Exchange(
      std::vector<std::string> to) = 0;

  // Ends every wait of every host, now and later, with `why`, which must not be
  // OK, unless the group has failed before. Never blocks.
  virtual void Fail(const Status& why) = 0;
  // OK, or the cause. Between processes a host that failed waits up to two
  // seconds to hear whether another was first.
  virtual Status failed() const = 0;

  // Says that this host lives, and how it fares. Never blocks.
  virtual void Beat(std::string_view report) = 0;
  // The last of each host, by host: at least what it told before the last
  // AllGather() or Exchange().
  virtual std::vector<HostPulse> Pulses() const = 0;

  // Whether hosts are threads of one process, which Share() is for.
  virtual bool is_one_process() const { return false; }
  // What the first of the hosts in this process brought by this name, as long
  // as any of them has it. Never blocks.
  virtual std::shared_ptr<void> Share(const std::string& /*name*/,
                                      std::shared_ptr<void> mine) {
    return mine;
  }
};

// The group of one host.
std::unique_ptr<Group> SoloGroup();

// A group of `hosts` hosts that are threads of this process; element h is host
// h's end. The ends may be destroyed in any order.
std::vector<std::unique_ptr<Group>> ThreadGroup(uint32_t hosts);

}  // namespace penstock
