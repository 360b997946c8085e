// A training run in virtual time: no thread, no wait, any number of hosts on
// one core. Its results are predictions from the times it is given, never
// measures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/accounts/ledger.h"
#include "infeed/accounts/step_times.h"
#include "infeed/devices/simulated_device.h"

namespace penstock {

// A fixed time and, where its mean is not 0, an exponential one on top.
struct DelayLaw {
  int64_t fixed_ns = 0;
  int64_t exponential_mean_ns = 0;
};

// One step, the same for all cores but for what laws add.
struct VirtualStep {
  // Of a host: of each of its parts, of the rows that it was dealt whatever its
  // parts are, but of all together no less than that.
  int64_t build_ns = 0;
  int64_t dealt_ns = 0;
  int64_t least_build_ns = 0;
  int64_t hand_over_ns = 0;  // of each of its parts, on top
  int64_t transfer_ns = 0;   // of a core's slice
  int64_t step_ns = 0;
  int64_t compile_ns = 0;
  uint64_t pad_rows = 0;
  uint64_t rows = 1;
};

// Hosts that fail, each by itself, after exponential times.
struct FailureOptions {
  int64_t host_mean_ns = 0;  // of one host, between failures; 0 is never
  int64_t restart_ns = 0;    // from a failure to the step after the last save
  int64_t save_ns = 0;       // training stands still for each
  // Of work, after which the next step that ends is saved; 0 finds the best.
  int64_t save_interval_ns = 0;
};

struct VirtualOptions {
  std::vector<uint32_t> host_of_core = {0};
  uint32_t hosts = 1;
  // Batches that wait at a core at most; 0 hands over from hand to hand.
  size_t depth = 2;
  // Of the batch, in VirtualStep::build_ns; empty is one part each.
  std::vector<uint32_t> parts_of_host = {};
  // Batches that a host has at most beside those in its queues: the one that is
  // built, and others that are done and wait.
  size_t built_ahead = 1;
  // Hosts meet at each batch: none has it before all have done their part.
  bool hosts_meet = false;
  std::string build_stage = {};  // what takes most of building; for reports
  uint64_t seed = 17;
  OutfeedOptions outfeed = {};
  DelayLaw build = {};           // on top, for each host, one at a time
  DelayLaw transfer_extra = {};  // of each core's transfer
  DelayLaw step_extra = {};      // of each core's step
  FailureOptions failures = {};
  // Where it is requested, the run ends at the next step.
  std::stop_token stop = {};
};

// What keeps the cores waiting.
enum class VirtualStage { kBuild, kTransfer, kDevice, kOutfeed };
inline constexpr size_t kVirtualStages = 4;
std::string_view VirtualStageName(VirtualStage stage);  // "build" ...

struct VirtualCore {
  uint32_t core = 0;
  uint32_t host = 0;
  Ledger ledger{0};
};

// The same steps with failures. The times but wall_ns sum to it.
struct FailureReport {
  bool found = false;       // the interval is the best that was found
  int64_t interval_ns = 0;  // of work between saves
  uint64_t failures = 0;    // of any host
  uint64_t saves = 0;
  uint64_t steps_again = 0;  // done again, as they were lost
  int64_t kept_ns = 0;       // steps that count
  int64_t save_ns = 0;
  int64_t lost_ns = 0;  // from a save to the failure after it
  int64_t restart_ns = 0;
  int64_t wall_ns = 0;
};

struct VirtualReport {
  uint32_t hosts = 1;
  size_t depth = 0;
  uint64_t seed = 0;
  std::string build_stage = {};
  std::string memory = {};  // of devices, in words, where it is known
  // Streamed: data was read for the lengths of these rows, for so long. The
  // time is real, so neither text nor JSON has it.
  std::optional<uint64_t> rows_read = {};
  int64_t read_ns = 0;
  std::vector<std::string> notes = {};  // what costs do not tell, in words
  StepSummary times = {};
  int64_t first_step_ns = 0;  // until the first step itself began
  int64_t wall_ns = 0;
  std::vector<VirtualCore> cores = {};
  // [hosts][kVirtualStages]: how long all cores stood still because this host
  // was the last to be ready, by what it was late with, or the last to take
  // what its cores sent back. The build where the host builds all the time, the
  // transfer where the link is always busy, else each for its part.
  std::vector<std::vector<int64_t>> blame_ns = {};
  // Where hosts fail; all else is told of the run without failures.
  std::optional<FailureReport> failures = {};

  // Steps, padding included, as a part of wall time, over all cores.
  double utilisation_percent() const;
  // Real rows' compute as a part of wall time with failures, over all cores.
  double goodput_percent() const;
  // Of a bucket, over all cores.
  int64_t MeanNs(Bucket bucket) const;
  // The outfeed where the cores wait for that longer than for input, else the
  // stage with the most blame; the device where they wait for either less than
  // 5 per cent of step time.
  VirtualStage bound() const;
  // The same, and for the build `build_stage` where that is known.
  std::string_view bound_by() const;
};

// Takes `count` steps, steps[n % steps.size()] each. Every host builds one
// batch after the other and waits where a queue is full; every core begins a
// step when all cores have its batch and are done with the last one.
//
// Errors:  kInvalidArgument for no steps, no cores, a host beyond `hosts`, a
//          negative time, failures that let no run end, times that may add
//          up to more than 285 years; kCancelled where it was stopped.
// Cost:    about 50 ns a core and step; no memory but that of cores and steps.
StatusOr<VirtualReport> RunVirtual(std::span<const VirtualStep> steps,
                                   uint64_t count,
                                   const VirtualOptions& options);

// For people and for programs. The text says in its first line that the time is
// virtual. Both are the same, byte for byte, for the same steps, options and
// seed.
std::string VirtualReportText(const VirtualReport& report);
std::string VirtualReportJson(const VirtualReport& report);

}  // namespace penstock
