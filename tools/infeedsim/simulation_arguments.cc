#include "tools/infeedsim/simulation_arguments.h"

#include "tools/arguments/numbers.h"
#include "tools/infeedsim/batch_arguments.h"
#include "tools/programs/record_choices.h"
#include "tools/programs/running_options.h"

namespace penstock {
namespace {

bool IsWeighed(std::string_view text) {
  const size_t equals = text.rfind('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  const std::optional<double> weight = ReadReal(text.substr(equals + 1));
  return weight && *weight > 0;
}

bool IsSplit(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const std::optional<double> begin = ReadReal(text.substr(0, colon));
  const std::optional<double> end = ReadReal(text.substr(colon + 1));
  return begin && end && *begin >= 0 && *begin < *end && *end <= 1;
}

void AddInput(Command& command, SimulationArguments& arguments) {
  ArgumentGroup& input = command.Group("Input");
  input
      .Positional("DATASET", arguments.pattern,
                  "TFRecord files of tf.train.Example: a file, a pattern or "
                  "base@N; or Megatron-LM's NAME.idx")
      .RequiredUnless("--mix");
  input
      .Option("--mix", arguments.mix, "PATTERN=WEIGHT",
              "Instead: several datasets, with so many rows of each beside the "
              "others, such as 'a@8=0.7' 'b@4=0.3'")
      .Excludes({"DATASET"})
      .MustBe("a pattern, = and a positive weight", IsWeighed);
  input
      .Choice(
          "--mix-stop", arguments.mix_options.stop,
          {{"first", MixStop::kFirst},
           {"last", MixStop::kLast},
           {"repeat", MixStop::kRepeat}},
          "The mix ends with the first dataset that ends, with the last, or "
          "with the last while others begin again")
      .Needs("--mix");
  input
      .Flag("--mix-tokens", arguments.mix_tokens,
            "Weights are of values of --by instead of rows")
      .Needs("--mix");
  input
      .Flag("--corpus", arguments.corpus, "The files are text or JSONL instead")
      .Needs("--tokenizer");
  input
      .Choice("--compression", arguments.open.compression, CompressionChoices(),
              "How the files are wrapped")
      .DefaultsTo("by their names");
  arguments.recovery.AddTo(input, "an epoch");
}

void AddTokens(Command& command, SimulationArguments& arguments) {
  ArgumentGroup& tokens = command.Group("Tokens");
  tokens
      .Option("--by", arguments.by, "FEATURE",
              "Feature whose length arranges rows")
      .Required();
  tokens
      .Choice("--token-encoding", arguments.encoding, TokenEncodingChoices(),
              "How its values lie in a record: int64, or as an array of uint16 "
              "or uint32 in bytes")
      .DefaultsTo("as the manifest says");
  arguments.tokenizer.AddTo(tokens, "feature \"text\" is tokenized on the way");
}

void AddOrder(Command& command, SimulationArguments& arguments) {
  ArgumentGroup& order = command.Group("Order");
  order.NoFlag("--no-shuffle", arguments.shuffle, "Keeps the files' order");
  order.Number("--shuffle-window", arguments.shuffling.window_records, "N",
               "Shuffles windows of this many records; 0 shuffles all at once");
  order.Number("--shuffle-blocks", arguments.shuffling.block_records, "N",
               "Blocks of this many records change places, then windows are "
               "shuffled, of 16 blocks unless told; reads stay large");
  order.Number("--seed", arguments.shuffling.seed, "SEED", "Of the shuffle");
  order
      .Option("--split", arguments.split, "BEGIN:END",
              "Only the records whose hash lies in this part of 0 to 1: 0:0.99 "
              "to train on, 0.99:1 to validate with")
      .MustBe("a part of 0 to 1, such as 0:0.99", IsSplit);
  order.Number("--split-seed", arguments.split_seed, "SEED", "Of that hash")
      .Needs("--split");
  order.Number("--epochs", arguments.repeat.epochs, "N",
               "How often all records come; 0 is for ever");
  order.Choice("--shard-by", arguments.simulation.shard_by,
               {{"plan", ShardBy::kPlan},
                {"file", ShardBy::kFile},
                {"record", ShardBy::kRecord},
                {"range", ShardBy::kRange},
                {"auto", ShardBy::kAuto}},
               "Hosts feed any rows of the global batch, or each those of its "
               "own files or records, in an order of its own");
  order.Choice("--sequence", arguments.simulation.sequence,
               {{"auto", SequenceReading::kAuto},
                {"one-decodes", SequenceReading::kOneDecodes},
                {"one-reads", SequenceReading::kOneReads},
                {"all-read", SequenceReading::kAllRead}},
               "Files that are read in sequence: each is read and decoded by "
               "one host, or read by one that sends records to all, or all "
               "hosts read all; --explain says what auto is");
}

void AddDevices(Command& command, SimulationArguments& arguments) {
  SimulationOptions& simulation = arguments.simulation;
  ArgumentGroup& devices = command.Group("Devices");
  arguments.devices.AddTo(devices);
  arguments.device.AddTo(devices);
  devices
      .Number("--depth", simulation.depth, "N", "Batches in each core's queue")
      .Between(1, 1024);
  arguments.times.AddTo(devices);
  arguments.chip.AddTo(devices);
  devices.Number("--compile-budget", simulation.compile_budget, "N",
                 "More compiles are an error; 0 is any number");
}

void AddOutput(Command& command, SimulationArguments& arguments) {
  ArgumentGroup& output = command.Group("Output");
  ReportFiles& reports = arguments.reports;
  output.Option("--json", reports.json, "FILE", "Writes the report as JSON");
  output.Option("--html", reports.html, "FILE",
                "Writes it as a page with charts");
  output.Option("--timeline", reports.timeline, "FILE",
                "Writes what each core did in the first 10,000 steps, for "
                "ui.perfetto.dev or chrome://tracing");
  output.Option("--tensorboard", reports.tensorboard, "FOLDER",
                "Writes an event file there, for TensorBoard");
  output
      .Option("--write-calibration", reports.calibration, "FILE",
              "Writes what each stage cost, for --clock virtual --calibration")
      .Excludes({"--calibration"});
  output
      .Number("--metrics", arguments.metrics_port, "PORT",
              "Answers http://127.0.0.1:PORT/metrics with figures for "
              "Prometheus while it runs; 0 is any port that is free, named on "
              "standard error")
      .DefaultsTo("no port");
  output
      .Option("--metrics-address", arguments.metrics_address, "ADDRESS",
              "Listens there; 0.0.0.0 lets all machines ask")
      .Needs("--metrics");
  output.Flag("--explain", arguments.explain,
              "Prints what the pipeline will do and why, and what each device "
              "takes of each tensor");
  output
      .Number("--trace", arguments.trace_step, "STEP",
              "Instead of running, prints which records make this step of a "
              "planned run, counted from 0; with --shard-by also the host of "
              "each row")
      .DefaultsTo("no step");
  output.Option("--state-out", arguments.state_out, "FILE",
                "Writes the state after the last step");
}

void AddRunning(Command& command, SimulationArguments& arguments) {
  SimulationOptions& simulation = arguments.simulation;
  ArgumentGroup& running = command.Group("Running");
  running.Option("--state-in", arguments.state_in, "FILE",
                 "Goes on from this state");
  running
      .Number("--after-step", simulation.after_step, "N",
              "Goes on after this step of a planned run, where no state was "
              "saved")
      .DefaultsTo("from the start")
      .Excludes({"--state-in"});
  running
      .Choice("--changed", simulation.changed,
              {{"batches", Change::kBatches},
               {"mix", Change::kMix},
               {"sources", Change::kSources}},
              "What may be other than in the state or checkpoint that the run "
              "goes on from: sizes and lengths of batches, weights of --mix, "
              "more datasets behind the others of --mix")
      .DefaultsTo("nothing");
  running.Option("--checkpoint", simulation.checkpoint_folder, "FOLDER",
                 "Saves there behind the last step, also where a signal stops "
                 "the run, and goes on from the last checkpoint that is there");
  running
      .Number("--checkpoint-every", simulation.checkpoints.every, "N",
              "Saves behind each N steps, too; 0 is the last alone")
      .Needs("--checkpoint");
  running
      .Number("--keep", simulation.checkpoints.keep, "N",
              "Checkpoints that stay, the last ones")
      .AtLeast(1)
      .Needs("--checkpoint");
  running
      .Number("--max-steps", simulation.max_steps, "N",
              "Stops after so many steps, 0 before the first")
      .DefaultsTo("at the end of data");
  running
      .Number("--watchdog", arguments.watchdog_s, "S",
              "Seconds without a step after which the run is stuck, and told "
              "who waits for whom")
      .Between(1e-3, 1e9);
  running.Number("--verify-replicas", simulation.verify_replicas, "K",
                 "Each K steps hosts that feed the same rows compare all bytes "
                 "of them, and end if they differ; 0 is never");
  AddThreads(running, simulation.threads_per_host,
             "That build batches, for each host");
  running.Flag("--streamed", simulation.force_streamed,
               "Arranges after decoding even where a plan is possible");
}

}  // namespace

void SimulationArguments::AddTo(Command& command) {
  AddInput(command, *this);
  AddTokens(command, *this);
  AddBatches(command, *this);
  objective.AddTo(command);
  AddOrder(command, *this);
  AddDevices(command, *this);
  hosts.AddTo(command);
  virtual_time.AddTo(command);
  AddOutput(command, *this);
  AddRunning(command, *this);
}

}  // namespace penstock
