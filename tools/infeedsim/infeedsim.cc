// infeedsim: a dataset -> simulated training -> a report of every nanosecond.

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/datasets/manifest.h"
#include "formats/datasets/shard_names.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/open.h"
#include "infeed/reports/report_text.h"
#include "infeed/training/simulation.h"
#include "pipeline/dataset.h"
#include "pipeline/state.h"
#include "tokenizer/interface/tokenizer.h"
#include "tools/infeedsim/report_files.h"
#include "tools/infeedsim/simulation_arguments.h"
#include "tools/programs/leftover_files.h"
#include "tools/programs/output.h"
#include "tools/programs/program.h"
#include "tools/programs/progress.h"
#include "tools/programs/skipped_report.h"
#include "tools/programs/stop_signals.h"

namespace penstock {
namespace {

constexpr char kExamples[] = R"(
  infeedsim data/books-train.tfrecord@8 --by tokens --buckets 128,256,512 \
            --batch 256
  infeedsim data/books-train.tfrecord@8 --by tokens --multiple-of 128 \
            --max-length 1024 --batch 64 --hosts 3 --epochs 2
  infeedsim data/raw-train.tfrecord@8 --tokenizer cl100k_base.tiktoken \
            --by tokens --buckets 512,1024 --too-long truncate --batch 128
  infeedsim ... --objective causal --segment-ids --explain
  infeedsim ... --max-steps 100 --state-out run.state
  infeedsim ... --after-step 120000 --max-steps 10
  infeedsim ... --state-in run.state --hosts 5 --json report.json
  infeedsim ... --html report.html --timeline run.trace.json)";

constexpr char kNotes[] = R"(
Times are those of simulated devices; no TPU is used. The pipeline, the queues
and their threads are real.)";

StatusOr<FeatureEncoding> EncodingOf(const SimulationArguments& arguments) {
  if (arguments.encoding) return *arguments.encoding;
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                            ExpandPattern(LocalFiles(), arguments.pattern));
  PENSTOCK_ASSIGN_OR_RETURN(const std::optional<Manifest> manifest,
                            LoadManifestBeside(LocalFiles(), paths[0]));
  const ManifestFeature* feature =
      manifest ? manifest->Find(arguments.by) : nullptr;
  return feature == nullptr ? FeatureEncoding::kPlain : feature->encoding;
}

StatusOr<Dataset> MakeDataset(const SimulationArguments& arguments) {
  Dataset dataset = arguments.corpus
                        ? Dataset::Corpus(arguments.pattern, arguments.open)
                        : Dataset::TfRecords(arguments.pattern, arguments.open);
  if (!arguments.corpus && arguments.tokenizer.path.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(const FeatureEncoding encoding,
                              EncodingOf(arguments));
    dataset = dataset.Parse({{.name = arguments.by, .encoding = encoding}});
  }
  if (arguments.shuffle) dataset = dataset.Shuffle(arguments.shuffling);
  dataset = dataset.Repeat(arguments.repeat);
  if (!arguments.tokenizer.path.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::shared_ptr<const Tokenizer> tokenizer,
                              arguments.tokenizer.Load());
    dataset = dataset.Tokenize(
        tokenizer,
        {.to = arguments.by, .encode = {.special_text = SpecialText::kAsText}});
  }
  dataset = arguments.objective.Apply(dataset, arguments.by);
  if (arguments.multiple_of > 0) {
    dataset = dataset.Pad({.by = arguments.by,
                           .multiple_of = arguments.multiple_of,
                           .max_length = arguments.max_length,
                           .too_long = arguments.too_long,
                           .pad_value = arguments.pad_value});
  } else {
    dataset = dataset.Bucket({.by = arguments.by,
                              .lengths = arguments.buckets,
                              .too_long = arguments.too_long,
                              .pad_value = arguments.pad_value});
  }
  return dataset.Batch(arguments.batch);
}

Status Simulation(SimulationArguments& arguments) {
  SimulationOptions& options = arguments.simulation;
  options.mesh = {{"data", arguments.cores}};
  options.device.step_ns = static_cast<int64_t>(arguments.step_ms * 1e6);
  options.device.compile_ns = static_cast<int64_t>(arguments.compile_ms * 1e6);
  options.device.bytes_per_second = arguments.gigabytes_per_second * 1e9;
  if (!arguments.state_in.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(options.restore,
                              LoadState(LocalFiles(), arguments.state_in));
  }
  options.traced_steps = arguments.reports.TracedSteps();
  SkippedReport skipped("infeedsim");
  arguments.open.recovery = arguments.recovery.ToOptions(skipped);
  PENSTOCK_ASSIGN_OR_RETURN(const Dataset dataset, MakeDataset(arguments));
  PENSTOCK_ASSIGN_OR_RETURN(const auto signals, StopSignals::Create());
  options.stop = signals->token();
  std::optional<Progress> seeking;
  options.on_seek = [&](uint64_t done, uint64_t of) {
    if (!seeking) {
      seeking.emplace("looking for the step", of, /*quiet=*/false,
                      ProgressUnit::kRecords);
    }
    seeking->Update(done, done);
  };
  PENSTOCK_ASSIGN_OR_RETURN(const RunReport report, Simulate(dataset, options));
  skipped.Finish();
  if (arguments.explain) Print("{}\n", report.explain);
  Print("{}", ReportText(report));
  if (!arguments.state_out.empty()) {
    ClearLeftovers("infeedsim", arguments.state_out);
    PENSTOCK_RETURN_IF_ERROR(
        SaveState(LocalFiles(), arguments.state_out, report.state));
  }
  PENSTOCK_RETURN_IF_ERROR(WriteReports(arguments.reports, report,
                                        "Infeed of " + arguments.pattern));
  if (signals->token().stop_requested()) {
    return CancelledError(
        fmt::format("stopped by a signal after step {}{}", report.state.step,
                    arguments.state_out.empty()
                        ? ""
                        : "; go on with --state-in " + arguments.state_out));
  }
  return OkStatus();
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

  Status Run() override { return Simulation(arguments_); }

 private:
  SimulationArguments arguments_;
};

}  // namespace
}  // namespace penstock

int main(int argc, char** argv) {
  penstock::InfeedSim infeedsim;
  return penstock::RunProgram(infeedsim, argc, argv);
}
