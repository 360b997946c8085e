// The one file that knows every placement.
#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "pipeline/agreement.h"
#include "pipeline/arrange/forecast.h"
#include "pipeline/arrange/indexed_rounds.h"
#include "pipeline/arrange/sequential_rounds.h"
#include "pipeline/graph/source.h"
#include "pipeline/pipeline.h"
#include "pipeline/run/explain.h"
#include "pipeline/run/job.h"
#include "pipeline/run/pipeline_impl.h"
#include "pipeline/run/planned.h"
#include "pipeline/run/streamed.h"
#include "tokenizer/interface/fingerprint.h"

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
Status CheckForecast(const Stages& stages, const Source& source,
                     const LengthTable& lengths, const Forecast& forecast) {
  if (forecast.too_long) {
    return InvalidArgumentError(fmt::format(
        "{}: feature \"{}\" has {} values, but the longest length is {}: add a "
        "longer one or use TooLong::kTruncate or TooLong::kDrop",
        source.indexed->Locate(*forecast.too_long), stages.by(),
        lengths(*forecast.too_long), stages.lengths().back()));
  }
  if (stages.batch.leftover == Leftover::kError && forecast.left_over_queue) {
    const size_t queue = *forecast.left_over_queue;
    const uint64_t rows = forecast.queue_rows[queue];
    return FailedPreconditionError(fmt::format(
        "{} rows{} do not fill whole batches of {}: {} are left over; use "
        "Leftover::kPad or Leftover::kDrop",
        rows,
        stages.bucket
            ? fmt::format(" of length {}", stages.bucket->lengths[queue])
            : std::string(),
        stages.batch.size, rows % static_cast<uint64_t>(stages.batch.size)));
  }
  if (forecast.steps == 0 && stages.epochs == 0) {
    return FailedPreconditionError(
        "Repeat for ever, but an epoch has no batch: every row is dropped; use "
        "smaller batches or Leftover::kPad");
  }
  return OkStatus();
}

struct Planning {
  PlanOptions plan;
  Forecast forecast;
};

StatusOr<Planning> PlanJob(const Job& job, const Source& source) {
  const Stages& stages = job.stages;
  LengthTable lengths;
  if (!stages.by().empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(auto columns,
                              source.indexed->Lengths(stages.by()));
    lengths = LengthTable(std::move(columns));
  }
  PlanOptions plan = {
      .order = Order(source.indexed->records(), OrderOf(stages, source)),
      .lengths = std::move(lengths),
      .arrange = ArrangeOf(stages),
      .epochs = stages.epochs,
      .keep_left_over = stages.batch.leftover == Leftover::kPad};
  plan.arrange.rows_per_shard = static_cast<uint64_t>(stages.batch.size);
  Forecast forecast = ForecastEpoch(source.indexed->records(), plan.lengths,
                                    plan.arrange, plan.keep_left_over);
  PENSTOCK_RETURN_IF_ERROR(
      CheckForecast(stages, source, plan.lengths, forecast));
  return Planning{std::move(plan), std::move(forecast)};
}

Status CheckStreamed(const Job& job, const Source& source,
                     const CompileOptions& options) {
  const Stages& stages = job.stages;
  if (source.indexed == nullptr && stages.shuffle &&
      stages.shuffle->window_records == 0) {
    return InvalidArgumentError(fmt::format(
        "{}, so its records can only be read in sequence and not shuffled all "
        "together: build indexes with `recordtool index`, or set "
        "window_records to shuffle windows",
        source.why_sequential));
  }
  if (job.topology.hosts > 1 && !stages.by().empty() &&
      options.agreement == nullptr) {
    return InvalidArgumentError(fmt::format(
        "{} hosts must tell each other the lengths of \"{}\", as the pipeline "
        "is streamed: give CompileOptions::agreement",
        job.topology.hosts, stages.by()));
  }
  return OkStatus();
}

std::unique_ptr<Placement> Stream(const std::shared_ptr<const Job>& job,
                                  const Source& source, FileSystem& files,
                                  const CompileOptions& options,
                                  Workers& workers) {
  RoundOptions rounds = {
      .shards = job->topology.shards,
      .mine = std::vector<bool>(job->topology.shards),
      .positions_per_shard = PositionsPerShard(job->rows_per_shard),
      .epochs = job->stages.epochs};
  for (const uint32_t shard : job->shards) rounds.mine[shard] = true;
  StreamedOptions streamed = {.arrange = ArrangeOf(job->stages),
                              .read_ahead_bytes = options.buffer_bytes / 4};
  streamed.arrange.shards = job->topology.shards;
  streamed.arrange.rows_per_shard = job->rows_per_shard;
  streamed.arrange.row_limit =
      RowLimit(job->rows_per_shard, streamed.arrange.queues());
  const OrderOptions order = OrderOf(job->stages, source);
  std::unique_ptr<RoundSource> source_of_rounds =
      source.indexed
          ? MakeIndexedRounds(source.indexed,
                              Order(source.indexed->records(), order), rounds)
          : MakeSequentialRounds(files, source.paths, source.options, order,
                                 source.size_bytes, rounds);
  // Lengths that nobody needs are not told.
  Agreement* const agreement =
      job->stages.by().empty() ? nullptr : options.agreement;
  return MakeStreamed(job, std::move(source_of_rounds), agreement, workers,
                      std::move(streamed));
}

int ThreadsOf(const CompileOptions& options) {
  if (options.threads > 0) return options.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

StatusOr<Pipeline> Compile(const Dataset& dataset, const Topology& topology,
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

  auto workers = std::make_unique<Workers>(threads);
  PipelineFacts facts = {.planned = choice.planned};
  Explanation explanation = {
      .planned = choice.planned, .why = choice.why, .threads = threads};
  if (source.indexed) facts.records_per_epoch = source.indexed->records();
  std::unique_ptr<Placement> placement;
  if (choice.planned) {
    PENSTOCK_ASSIGN_OR_RETURN(Planning planning, PlanJob(*job, source));
    facts.steps_per_epoch = planning.forecast.steps;
    explanation.forecast = planning.forecast;
    placement =
        MakePlanned(job, source.indexed, std::move(planning.plan), threads);
  } else {
    PENSTOCK_RETURN_IF_ERROR(CheckStreamed(*job, source, options));
    placement = Stream(job, source, files, options, *workers);
  }
  explanation.budgets = placement->Budgets();
  explanation.budgets.insert(
      explanation.budgets.begin(),
      {"batches built and not yet taken",
       std::max(options.buffer_bytes,
                job->BatchBytes(job->contract().shapes() - 1))});
  if (source.indexed) {
    explanation.budgets.push_back(
        {"pages of files that were read, mapped, which the system takes back",
         source.indexed->most_mapped_bytes()});
  }
  facts.explanation = Explain(*job, source, explanation);
  return Pipeline(std::make_unique<Pipeline::Impl>(
      job, std::move(placement), std::move(workers), options.buffer_bytes,
      std::move(facts)));
}

}  // namespace penstock
