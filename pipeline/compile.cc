// The one file that knows every placement.
#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "formats/status.h"
#include "pipeline/explain.h"
#include "pipeline/forecast.h"
#include "pipeline/job.h"
#include "pipeline/pipeline.h"
#include "pipeline/pipeline_impl.h"
#include "pipeline/planned.h"
#include "pipeline/source.h"
#include "tokenizer/fingerprint.h"

namespace penstock {
namespace {

// Why a job is planned or streamed.
struct Choice {
  bool planned = false;
  std::string why;
};

Choice Choose(const Stages& stages, const Source& source, bool force_streamed) {
  if (force_streamed) return {false, "asked for by force_streamed"};
  if (source.indexed == nullptr) return {false, source.why_sequential};
  if (stages.by().empty()) {
    return {true, "every file has an index, and no tensor varies in length"};
  }
  if (stages.tokenize && stages.tokenize->options.to == stages.by()) {
    return {false,
            fmt::format("Tokenize makes \"{}\", so its lengths are known only "
                        "after reading; tokenize ahead with datagen to plan",
                        stages.by())};
  }
  if (!source.indexed->HasLengths(stages.by())) {
    return {false, fmt::format("not every index has a column of lengths called "
                               "\"{}\"; datagen writes one",
                               stages.by())};
  }
  return {true, fmt::format("every file has an index with the lengths of "
                            "\"{}\"",
                            stages.by())};
}

uint64_t JobFingerprint(const Stages& stages, const Source& source,
                        uint32_t shards, bool planned) {
  const uint64_t graph = Fingerprinter()
                             .Add(stages.Fingerprint())
                             .Add(uint64_t{shards})
                             .Add(uint64_t{planned})
                             .Finish();
  // Two halves, so that Restore() can say which of them differs.
  const uint64_t data = Fingerprinter()
                            .Add(source.fingerprint)
                            .Add(uint64_t{stages.read.examples})
                            .Finish();
  return (data >> 32 << 32) | (graph >> 32);
}

OrderOptions OrderOf(const Stages& stages, const Source& source) {
  if (!stages.shuffle) return {};
  return {.shuffle = true,
          .seed = stages.shuffle->seed,
          .window_records = stages.shuffle->window_records,
          .dataset_fingerprint = source.fingerprint};
}

ArrangeOptions ArrangeOf(const Stages& stages) {
  return {.lengths = stages.lengths(),
          .one_queue = stages.pad.has_value(),
          .too_long = stages.too_long()};
}

// What planning tells before step 0.
absl::Status CheckForecast(const Stages& stages, const Source& source,
                           const LengthTable& lengths,
                           const Forecast& forecast) {
  if (forecast.too_long) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: feature \"{}\" has {} values, but the longest length is {}: add a "
        "longer one or use TooLong::kTruncate or TooLong::kDrop",
        source.indexed->Locate(*forecast.too_long), stages.by(),
        lengths(*forecast.too_long), stages.lengths().back()));
  }
  if (stages.batch.leftover == Leftover::kError && forecast.left_over_queue) {
    const size_t queue = *forecast.left_over_queue;
    const uint64_t rows = forecast.queue_rows[queue];
    return absl::FailedPreconditionError(fmt::format(
        "{} rows{} do not fill whole batches of {}: {} are left over; use "
        "Leftover::kPad or Leftover::kDrop",
        rows,
        stages.bucket
            ? fmt::format(" of length {}", stages.bucket->lengths[queue])
            : std::string(),
        stages.batch.size, rows % static_cast<uint64_t>(stages.batch.size)));
  }
  if (forecast.steps == 0 && stages.epochs == 0) {
    return absl::FailedPreconditionError(
        "Repeat for ever, but an epoch has no batch: every row is dropped; use "
        "smaller batches or Leftover::kPad");
  }
  return absl::OkStatus();
}

int ThreadsOf(const CompileOptions& options) {
  if (options.threads > 0) return options.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

absl::StatusOr<Pipeline> Compile(const Dataset& dataset,
                                 const Topology& topology,
                                 CompileOptions options) {
  PENSTOCK_RETURN_IF_ERROR(topology.Validate());
  PENSTOCK_ASSIGN_OR_RETURN(Stages stages,
                            FlattenStages(dataset, topology.shards));
  FileSystem& files = options.files == nullptr ? LocalFiles() : *options.files;
  PENSTOCK_ASSIGN_OR_RETURN(const Source source,
                            OpenSource(files, stages.read));
  const Choice choice = Choose(stages, source, options.force_streamed);
  PENSTOCK_ASSIGN_OR_RETURN(Decoder decoder, Decoder::Create(stages));
  Placer placer(stages, stages.MakeContract());
  const int threads = ThreadsOf(options);

  const auto job = std::make_shared<const Job>(
      Job{.stages = stages,
          .topology = topology,
          .shards = topology.ShardsOf(topology.host),
          .rows_per_shard =
              static_cast<uint64_t>(stages.batch.size) / topology.shards,
          .fingerprint =
              JobFingerprint(stages, source, topology.shards, choice.planned),
          .decoder = std::move(decoder),
          .placer = std::move(placer)});

  PipelineFacts facts = {.planned = choice.planned};
  Explanation explanation = {
      .planned = choice.planned, .why = choice.why, .threads = threads};
  if (source.indexed) facts.records_per_epoch = source.indexed->records();
  std::unique_ptr<Placement> placement;
  if (choice.planned) {
    PlanOptions plan = {
        .order = Order(source.indexed->records(), OrderOf(stages, source)),
        .lengths = stages.by().empty()
                       ? LengthTable()
                       : LengthTable(source.indexed->Lengths(stages.by())),
        .arrange = ArrangeOf(stages),
        .epochs = stages.epochs,
        .keep_left_over = stages.batch.leftover == Leftover::kPad};
    plan.arrange.rows_per_shard = static_cast<uint64_t>(stages.batch.size);
    const Forecast forecast =
        ForecastEpoch(source.indexed->records(), plan.lengths, plan.arrange,
                      plan.keep_left_over);
    PENSTOCK_RETURN_IF_ERROR(
        CheckForecast(stages, source, plan.lengths, forecast));
    facts.steps_per_epoch = forecast.steps;
    explanation.forecast = forecast;
    placement = MakePlanned(job, source.indexed, std::move(plan), threads);
  } else {
    return absl::UnimplementedError("streamed");
  }
  explanation.budgets = placement->Budgets();
  explanation.budgets.insert(
      explanation.budgets.begin(),
      {"batches built and not yet taken",
       std::max(options.buffer_bytes,
                job->BatchBytes(job->contract().shapes() - 1))});
  facts.explanation = Explain(*job, source, explanation);
  return Pipeline(std::make_unique<Pipeline::Impl>(
      job, std::move(placement), std::make_unique<Workers>(threads),
      options.buffer_bytes, std::move(facts)));
}

}  // namespace penstock
