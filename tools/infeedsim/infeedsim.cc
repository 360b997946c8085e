// infeedsim: a dataset -> simulated training -> a report of every nanosecond.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/files/atomic_file.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "infeed/reports/reports.h"
#include "infeed/sharding/load_plan.h"
#include "infeed/training/live_run.h"
#include "infeed/training/simulation.h"
#include "pipeline/dataset.h"
#include "pipeline/pipeline.h"
#include "pipeline/state.h"
#include "pipeline/trace.h"
#include "tools/infeedsim/metrics_server.h"
#include "tools/infeedsim/metrics_text.h"
#include "tools/infeedsim/report_files.h"
#include "tools/infeedsim/simulation_arguments.h"
#include "tools/infeedsim/simulation_dataset.h"
#include "tools/infeedsim/virtual_program.h"
#include "tools/programs/flag_words.h"
#include "tools/programs/leftover_files.h"
#include "tools/programs/output.h"
#include "tools/programs/program.h"
#include "tools/programs/progress.h"
#include "tools/programs/skipped_report.h"
#include "tools/programs/stop_signals.h"

namespace penstock {
namespace {

// Longer ones before those that are parts of them.
constexpr FlagWord kFlagOfField[] = {
    {"CompileOptions::changed", "--changed"},
    {"name Change::kBatches in", "name batches in"},
    {"name Change::kMix in", "name mix in"},
    {"name Change::kSources in", "name sources in"},
    {"ShardBy::kPlan", "--shard-by plan"},
    {"ShardBy::kFile", "--shard-by file"},
    {"ShardBy::kRecord", "--shard-by record"},
    {"shard_by", "--shard-by"},
    {"CompileOptions::sequence", "--sequence"},
    {"Leftover::kCarry", "--leftover carry"},
    {"Leftover::kPad", "--leftover pad"},
    {"Leftover::kDrop", "--leftover drop"},
    {"BatchOptions::balance", "--balance"},
    {"BucketOptions::merge_leftovers", "--merge-leftovers"},
};

constexpr char kExamples[] = R"(
  infeedsim data/books-train.tfrecord@8 --by tokens --buckets 128,256,512 \
            --batch 256
  infeedsim data/books-train.tfrecord@8 --by tokens --multiple-of 128 \
            --max-length 1024 --batch 64 --hosts 3 --epochs 2
  infeedsim data/books-train.tfrecord@8 --by tokens --pack 2048 --batch 64
  infeedsim data/pairs-train.tfrecord@8 --by tokens --buckets 128,256 \
            --buckets-with targets=64,256 --batch 256 --explain
  infeedsim data/raw-train.tfrecord@8 --tokenizer cl100k_base.tiktoken \
            --by tokens --buckets 512,1024 --too-long truncate --batch 128
  infeedsim ... --pack 2048 --batch 64 --trace 120000
  infeedsim ... --objective causal --segment-ids --explain
  infeedsim ... --mesh data=4,model=2 --sharding tokens=data,model --explain
  infeedsim ... --clock virtual --cores 17920 --hosts 2240 --build-time 8 \
            --step-jitter 0.1
  infeedsim ... --step-time 0 --max-steps 2000 --write-calibration costs.json
  infeedsim ... --clock virtual --calibration costs.json --step-time 5
  infeedsim ... --outfeed-every 1 --drain-time 3
  infeedsim ... --chip v5e --cores 8 --flops-per-token 6e9 --efficiency 0.5
  infeedsim ... --clock virtual --hosts 64 --host-mtbf 5e6 --save-time 30
  infeedsim --mix 'data/books-train.tfrecord@8=0.7' 'data/web@64=0.3' \
            --by tokens --buckets 512,1024 --batch 256 --explain
  infeedsim ... --max-steps 100 --state-out run.state
  infeedsim ... --after-step 120000 --max-steps 10
  infeedsim ... --state-in run.state --hosts 5 --json report.json
  infeedsim ... --checkpoint run.checkpoints --checkpoint-every 1000
  infeedsim ... --html report.html --timeline run.trace.json
  infeedsim ... --device pjrt:build/pjrt/xla_cpu_pjrt.so --cores 4
  mpirun -np 4 infeedsim ...
  infeedsim ... --coordinator node0:55527 --hosts 4 --host 2
  infeedsim ... --mesh data=2,model=4 --hosts 4 --verify-replicas 10)";

constexpr char kNotes[] = R"(
Times are those of simulated devices, unless --device names others; no TPU is
used. The pipeline, the queues and their threads are real; with --clock virtual
only the plan is, or, where it is known only after reading, a pipeline that reads
the data once and builds no batch; times are predictions from the flags, the same
for the same seed.
Where hosts are processes host 0 alone prints the report and writes files.)";

// [rows]: the host that feeds each row of a batch of so many.
std::vector<uint32_t> HostsOfRows(const Topology& topology, uint64_t rows) {
  std::vector<uint32_t> hosts(rows);
  const uint64_t each = topology.RowsOfShard(rows);
  for (uint32_t host = 0; host < topology.hosts; ++host) {
    for (const uint64_t shard : topology.ShardsOf(host)) {
      const uint64_t end = std::min(rows, (shard + 1) * each);
      for (uint64_t row = shard * each; row < end; ++row) hosts[row] = host;
    }
  }
  return hosts;
}

Status PrintTrace(const SimulationArguments& arguments,
                  const Dataset& dataset) {
  const SimulationOptions& simulation = arguments.simulation;
  // Otherwise batches do not depend on hosts.
  const bool shared = simulation.shard_by != ShardBy::kPlan;
  Topology topology;
  if (shared) {
    PENSTOCK_ASSIGN_OR_RETURN(topology, TopologyOf(simulation, /*host=*/0));
  }
  PENSTOCK_ASSIGN_OR_RETURN(const Pipeline pipeline,
                            Compile(dataset, topology,
                                    {.threads = simulation.threads_per_host,
                                     .shard_by = simulation.shard_by}));
  PENSTOCK_ASSIGN_OR_RETURN(const StepTrace trace,
                            pipeline.Trace(*arguments.trace_step));
  Print("step {}, epoch {}: {} rows of length {}\n", trace.step, trace.epoch,
        trace.rows, pipeline.contract().lengths[trace.shape]);
  const std::vector<uint32_t> hosts = HostsOfRows(topology, trace.rows);
  for (const TracedPiece& piece : trace.pieces) {
    Print("row {}{} at {}: values {} to {} of record {}, {}\n", piece.row,
          shared ? fmt::format(" of host {}", hosts[piece.row]) : std::string(),
          piece.place, piece.begin, piece.begin + piece.length, piece.record,
          piece.where);
  }
  return OkStatus();
}

std::string TitleOf(const SimulationArguments& arguments) {
  if (arguments.mix.empty()) return "Infeed of " + arguments.pattern;
  return fmt::format("Infeed of {}", fmt::join(arguments.mix, ", "));
}

Status StoppedBy(const StopSignals& signals, const RunReport& report,
                 const SimulationArguments& arguments) {
  if (!signals.token().stop_requested()) return OkStatus();
  std::string how;
  if (!arguments.simulation.checkpoint_folder.empty()) {
    how = "; the same command goes on";
  } else if (!arguments.state_out.empty()) {
    how = "; go on with --state-in " + arguments.state_out;
  }
  return CancelledError(fmt::format("stopped by a signal after step {}{}",
                                    report.state.step, how));
}

// What this process does once it knows the others.
Status Simulation(SimulationArguments& arguments, const StopSignals& signals) {
  SimulationOptions& options = arguments.simulation;
  PENSTOCK_RETURN_IF_ERROR(arguments.devices.Apply(options));
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::optional<ChipFacts> chip,
      arguments.chip.Apply(options.device, arguments.times));
  if (chip && arguments.explain) Print("{}\n", DescribeChip(*chip));
  arguments.times.Apply(options.device);
  options.watchdog.limit_ns = static_cast<int64_t>(arguments.watchdog_s * 1e9);
  options.stop = signals.token();
  if (!arguments.state_in.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(options.restore,
                              LoadState(LocalFiles(), arguments.state_in));
  }
  SkippedReport skipped("infeedsim");
  arguments.open.recovery = arguments.recovery.ToOptions(skipped);
  PENSTOCK_ASSIGN_OR_RETURN(const Dataset dataset, MakeDataset(arguments));
  if (arguments.virtual_time.chosen()) {
    PENSTOCK_RETURN_IF_ERROR(PrintVirtualRun(dataset, arguments));
    skipped.Finish();
    return OkStatus();
  }
  options.traced_steps = arguments.reports.TracedSteps();
  if (arguments.trace_step) return PrintTrace(arguments, dataset);
  PENSTOCK_ASSIGN_OR_RETURN(const PjrtDevices devices,
                            arguments.device.Open(options));
  if (!devices.devices.empty()) {
    PrintError("infeedsim: feeds {}\n", devices.description);
  }
  std::optional<Progress> seeking;
  options.on_seek = [&](uint64_t done, uint64_t of) {
    if (!seeking) {
      seeking.emplace("looking for the step", of, /*quiet=*/false,
                      ProgressUnit::kRecords);
    }
    seeking->Update(done, done);
  };
  options.on_resume = [](const Checkpoint& from) {
    PrintError(
        "infeedsim: goes on behind step {}, from {}, which {} hosts "
        "wrote\n",
        from.step, from.folder, from.hosts);
  };
  LiveRun live;
  options.live = &live;
  std::unique_ptr<MetricsServer> metrics;
  if (arguments.metrics_port) {
    PENSTOCK_ASSIGN_OR_RETURN(
        metrics,
        MetricsServer::Start(arguments.metrics_address, *arguments.metrics_port,
                             [&] { return MetricsText(live.Look()); }));
    PrintError("infeedsim: figures at {}\n", metrics->url());
  }
  PENSTOCK_ASSIGN_OR_RETURN(const RunReport report, Simulate(dataset, options));
  skipped.Finish();
  if (options.batches != nullptr && options.batches->host() != 0) {
    return StoppedBy(signals, report, arguments);
  }
  if (arguments.explain) {
    Print("{}\n{}\n", report.explain, ExplainLoads(report.loads));
  }
  Print("{}", ReportText(report));
  if (!arguments.state_out.empty()) {
    ClearLeftovers("infeedsim", arguments.state_out);
    PENSTOCK_RETURN_IF_ERROR(
        SaveState(LocalFiles(), arguments.state_out, report.state));
  }
  PENSTOCK_RETURN_IF_ERROR(
      WriteReports(arguments.reports, report, TitleOf(arguments)));
  return StoppedBy(signals, report, arguments);
}

Status JoinAndSimulate(SimulationArguments& arguments) {
  const HostArguments& hosts = arguments.hosts;
  if (hosts.explain) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::string seen, hosts.Explain());
    Print("{}", seen);
    return OkStatus();
  }
  // Before any other thread.
  PENSTOCK_ASSIGN_OR_RETURN(const auto signals, StopSignals::Create());
  std::vector<std::unique_ptr<Group>> ends;
  if (!arguments.virtual_time.chosen()) {
    PENSTOCK_ASSIGN_OR_RETURN(ends, hosts.Join(signals->token()));
  }
  SimulationOptions& options = arguments.simulation;
  options.hosts = hosts.hosts.value_or(1);
  if (!ends.empty()) {
    options.batches = ends[0].get();
    options.hosts = options.batches->hosts();
    options.steps = ends[1].get();
    options.replicas = ends[2].get();
    options.checkpoints.group = ends[3].get();
  }
  const Status status =
      WithFlagWords(Simulation(arguments, *signals), kFlagOfField);
  return status.ok() ? status : FailAll(ends, status);
}

class InfeedSim final : public Program {
 public:
  InfeedSim()
      : Program("infeedsim",
                "Feeds a dataset to a simulated TPU training run and reports "
                "where the time went.") {
    arguments_.AddTo(*this);
    Examples(kExamples);
    Notes(kNotes);
  }

  Status Run() override { return JoinAndSimulate(arguments_); }

 private:
  SimulationArguments arguments_;
};

}  // namespace
}  // namespace penstock

int main(int argc, char** argv) {
  penstock::InfeedSim infeedsim;
  return penstock::RunProgram(infeedsim, argc, argv);
}
