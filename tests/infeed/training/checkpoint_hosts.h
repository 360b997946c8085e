// Hosts that take steps over made batches and save where they are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "infeed/checkpoints.h"
#include "tests/infeed/made_batches.h"

namespace penstock::testing {

// Twelve devices, which 1, 2, 3 and 4 hosts share evenly.
inline constexpr uint32_t kCheckpointShards = 12;

struct CheckpointHost {
  uint32_t hosts = 1;
  uint32_t host = 0;
  uint64_t steps = 10;  // of the data
  CheckpointOptions options = {};
  std::function<void(Batch&)> change = nullptr;
  ModelSnapshot model = {};
  // After each step; false leaves without Finish().
  std::function<bool(Checkpoints&, uint64_t step)> after = nullptr;
};

struct CheckpointEnd {
  Status status;
  Status infeed;
  std::optional<Checkpoint> resumed;
  std::vector<uint64_t> steps = {};    // that were taken
  std::vector<uint64_t> records = {};  // of each step, the sum of their ids
};

// A host from Open() to Finish().
inline CheckpointEnd RunCheckpointHost(const std::string& folder,
                                       const CheckpointHost& run) {
  const Mesh mesh = *Mesh::Create({{"data", kCheckpointShards}});
  MadeOptions made{
      .contract = TokenContract(24, {4}),
      .topology = TopologyOf(kCheckpointShards, run.hosts, run.host),
      .steps = run.steps,
      .change = run.change};
  Infeed infeed(std::make_unique<MadeBatches>(std::move(made)), mesh);
  CheckpointEnd end;
  auto checkpoints = Checkpoints::Open(folder, infeed, run.options);
  end.status = checkpoints.status();
  if (!checkpoints.ok()) {
    end.infeed = infeed.status();
    return end;
  }
  end.resumed = checkpoints->resumed();
  while (const auto batch = infeed.Next()) {
    end.steps.push_back(batch->step);
    end.records.push_back(0);
    for (const CoreSlice& slice : batch->slices) {
      for (const uint64_t id : slice.record_ids()) end.records.back() += id;
    }
    end.status = checkpoints->AfterStep(*batch, run.model);
    if (!end.status.ok()) break;
    if (run.after && !run.after(*checkpoints, batch->step)) return end;
    if (checkpoints->preempted()) break;
  }
  if (end.status.ok()) end.status = checkpoints->Finish();
  end.infeed = infeed.status();
  return end;
}

// All hosts at once; `change` makes one differ.
inline std::vector<CheckpointEnd> RunCheckpointHosts(
    const std::string& folder, uint32_t hosts, const CheckpointHost& run,
    const std::function<void(CheckpointHost&)>& change = nullptr) {
  auto ends = ThreadGroup(hosts);
  std::vector<CheckpointEnd> all(hosts);
  std::vector<std::jthread> threads;
  for (uint32_t h = 0; h < hosts; ++h) {
    CheckpointHost mine = run;
    mine.hosts = hosts;
    mine.host = h;
    mine.options.group = ends[h].get();
    if (change) change(mine);
    threads.emplace_back(
        [&folder, &all, h, mine] { all[h] = RunCheckpointHost(folder, mine); });
  }
  threads.clear();
  return all;
}

}  // namespace penstock::testing
