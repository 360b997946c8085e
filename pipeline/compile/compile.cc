// The one file that knows every placement.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "formats/files/file.h"
#include "formats/files/memory_guard.h"
#include "formats/files/status_or.h"
#include "pipeline/arrange/forecast.h"
#include "pipeline/arrange/pack_forecast.h"
#include "pipeline/arrange/plan_facts.h"
#include "pipeline/compile/arrange_options.h"
#include "pipeline/compile/choice.h"
#include "pipeline/compile/facts.h"
#include "pipeline/compile/handshake.h"
#include "pipeline/compile/pipeline_impl.h"
#include "pipeline/compile/share_forecast.h"
#include "pipeline/graph/left_out.h"
#include "pipeline/graph/order_tree.h"
#include "pipeline/graph/sharding.h"
#include "pipeline/graph/sources.h"
#include "pipeline/group.h"
#include "pipeline/pipeline.h"
#include "pipeline/read/indexed_rounds.h"
#include "pipeline/read/open_sequence.h"
#include "pipeline/read/sequence_rounds.h"
#include "pipeline/run/checks.h"
#include "pipeline/run/job.h"
#include "pipeline/run/planned.h"
#include "pipeline/run/streamed.h"

namespace penstock {
namespace {

// Compiles on one host; what it learns on the way serves the next step.
class Compiler {
 public:
  Compiler(const Topology& topology, const CompileOptions& options)
      : topology_(topology),
        options_(options),
        files_(options.files == nullptr ? LocalFiles() : *options.files) {}

  // Everything that one host can do alone.
  Status Prepare(const Dataset& dataset);
  PipelineFacts Facts() const;

  std::shared_ptr<const Job> job() const { return job_; }
  const Choice& choice() const { return choice_; }
  std::unique_ptr<TaskQueue> TakeTasks() { return std::move(tasks_); }
  std::unique_ptr<Placement> TakePlacement() { return std::move(placement_); }

 private:
  ArrangeOptions Arrange(const SourceDecoders& decoder) const {
    ArrangeOptions arrange = ArrangeOf(stages_, decoder);
    arrange.shares = tree_.shares;
    return arrange;
  }
  StepOptions StepsOf() const;
  Status PlanIt();
  Status StreamIt();
  // Where no length matters a row's position says which batch it is in, and so
  // who decodes it: no batch may end early.
  uint64_t WaitingLimit() const {
    return stages_.rows_vary() ? options_.waiting_bytes
                               : std::numeric_limits<uint64_t>::max();
  }
  bool Lockstep() const {
    return !choice_.planned && topology_.hosts > 1 &&
           (job_->stages.rows_vary() || choice_.sequence.shared());
  }

  const Topology topology_;
  const CompileOptions options_;
  FileSystem& files_;

  Stages stages_;
  Sources sources_;
  OrderTree tree_;  // where indexed
  std::vector<uint64_t> withdrawn_;
  Choice choice_;
  std::shared_ptr<const Job> job_;
  std::unique_ptr<TaskQueue> tasks_;
  std::unique_ptr<Placement> placement_;
  std::optional<Forecast> forecast_;
  uint64_t own_length_bytes_ = 0;
};

Status Compiler::Prepare(const Dataset& dataset) {
  PENSTOCK_RETURN_IF_ERROR(topology_.Validate());
  PENSTOCK_ASSIGN_OR_RETURN(stages_, FlattenStages(dataset));
  PENSTOCK_ASSIGN_OR_RETURN(sources_, OpenSources(files_, stages_));
  PENSTOCK_ASSIGN_OR_RETURN(tasks_, TaskQueue::Create(options_.threads));
  PENSTOCK_RETURN_IF_ERROR(ChooseBuckets(sources_, *tasks_, stages_));
  PENSTOCK_RETURN_IF_ERROR(CheckSizes(stages_, topology_, options_));
  PENSTOCK_ASSIGN_OR_RETURN(
      tree_, OrderRecords(stages_, sources_, options_.shard_by, topology_));
  PENSTOCK_ASSIGN_OR_RETURN(choice_,
                            Choose(stages_, sources_, topology_, options_));
  if (!choice_.planned) {
    PENSTOCK_RETURN_IF_ERROR(
        CheckStreamed(stages_, sources_, topology_, options_, choice_.why));
  }
  PENSTOCK_ASSIGN_OR_RETURN(
      SourceDecoders decoder,
      SourceDecoders::Create(stages_, sources_, sources_.Key()));
  std::vector<StatePart> graph = DataParts(stages_, sources_);
  const std::vector<StatePart> stages = stages_.Parts();
  graph.insert(graph.end(), stages.begin(), stages.end());
  graph.insert(graph.end(), tree_.parts.begin(), tree_.parts.end());
  // The lists that it holds are in the order now, and that of Withdraw will be.
  stages_.root.reset();
  PENSTOCK_ASSIGN_OR_RETURN(withdrawn_,
                            TakeWithdrawn(sources_, stages_, tree_.views));
  const ArrangeOptions arrange = Arrange(decoder);
  const uint64_t waiting = MakeArranger(arrange)->MostHeldBytes();
  if (!choice_.planned && waiting > WaitingLimit()) {
    graph.push_back({"waiting_bytes", WaitingLimit()});
  }
  if (sources_.indexed == nullptr && stages_.shuffle) {
    graph.push_back({"window_bytes", options_.window_bytes});
  }
  job_ = std::make_shared<const Job>(
      Job{.stages = stages_,
          .first_ids = sources_.first_ids,
          .topology = topology_,
          .graph = std::move(graph),
          .changed = options_.changed,
          .mixed = tree_.mix ? tree_.mix->shares().size() : 0,
          .shape_rows =
              RowsOfShapes(topology_, topology_.host, stages_.MakeContract()),
          .max_record_bytes = options_.max_record_bytes,
          .row_ids = stages_.row_ids(),
          .decoder = std::move(decoder),
          .placer = Placer(stages_, stages_.MakeContract(), sources_.Key()),
          .buffers = std::make_shared<BufferPool>(options_.buffer_bytes),
          .lane = std::make_shared<Lane>()});
  return choice_.planned ? PlanIt() : StreamIt();
}

StepOptions Compiler::StepsOf() const {
  return {.leftover = stages_.batch.leftover,
          .leftovers = stages_.leftovers(),
          .epochs = stages_.epochs,
          .cut_records = tree_.cut_records,
          .graph = job_->graph,
          .mix = tree_.mix ? MixEpochs(tree_.mix) : MixEpochs(),
          .row_ids = job_->row_ids};
}

Status Compiler::PlanIt() {
  ArrangeOptions arrange = Arrange(job_->decoder);
  PENSTOCK_ASSIGN_OR_RETURN(PlannedLengths known,
                            LengthsOf(stages_, sources_, *tasks_, arrange));
  LengthTable lengths = std::move(known.arranged);
  own_length_bytes_ = lengths.own_bytes();
  if (stages_.pack && stages_.pack->kind == PackKind::kMegatron) {
    PENSTOCK_RETURN_IF_ERROR(OrderAsMegatron(*stages_.pack, lengths, tree_));
  }
  lengths.LeaveOut(withdrawn_);
  PlanFacts plan = {.order = tree_.order,
                    .lengths = std::move(lengths),
                    .arrange = std::move(arrange),
                    .steps = StepsOf(),
                    .forecast = {},
                    .values = std::move(known.values)};
  plan.too_long = [files = sources_.indexed, stages = stages_](const Row& row) {
    return TooLongError(files->Locate(row.record), stages, row.length);
  };
  plan.forecast = plan.ForecastOf(/*epoch=*/0, *tasks_);
  if (tree_.shares) ForecastShares(tree_, plan);
  PENSTOCK_RETURN_IF_ERROR(
      CheckForecast(stages_, sources_, plan.lengths, plan.forecast));
  if (tree_.shares) {
    PENSTOCK_RETURN_IF_ERROR(CheckShares(stages_, tree_, plan, *tasks_));
  }
  if (stages_.pack) plan.forecast.pack = ForecastPacking(plan);
  forecast_ = plan.forecast;
  placement_ = MakePlanned(job_, sources_.indexed, std::move(plan),
                           topology_.hosts > 1 ? options_.group : nullptr,
                           tasks_->threads());
  return OkStatus();
}

Status Compiler::StreamIt() {
  const bool alone = !Lockstep();
  const auto batch = static_cast<uint64_t>(stages_.batch.size);
  const RoundSizes sizes =
      ChooseRounds(sources_, job_->row_ids.most_rows, job_->MostDecodedBytes());
  RoundOptions rounds = {.hosts = topology_.hosts,
                         .host = topology_.host,
                         .epochs = stages_.epochs,
                         .rows = sizes.of_host * topology_.hosts,
                         .raw_bytes = kChunkBytes,
                         .max_record_bytes = options_.max_record_bytes};
  if (tree_.shares) {
    rounds.shares = tree_.shares->shares;
  } else if (topology_.hosts > 1 && alone) {
    rounds.feeds.resize(batch);
    for (const uint32_t row : job_->RowsOf(0)) {
      if (row < batch) rounds.feeds[row] = true;  // others pad
    }
  }
  const StreamedOptions streamed = {
      .rows_of_round = rounds.rows,
      .rows_of_part = sizes.of_part,
      .read_ahead_bytes = options_.buffer_bytes / 4,
      .open_bytes = options_.buffer_bytes / 4};
  std::shared_ptr<RoundSource> source;
  if (sources_.indexed) {
    source =
        MakeIndexedRounds(sources_.indexed, tree_.order, std::move(rounds));
  } else {
    const Source& only = sources_.each.front();
    CursorOptions records = {.max_record_bytes = options_.max_record_bytes};
    if (stages_.shuffle) {
      records.shuffle = ShuffleKey{stages_.shuffle->seed, only.fingerprint};
      records.window_records = stages_.shuffle->window_records;
      records.window_bytes = options_.window_bytes;
    }
    const SequenceChoice& how = choice_.sequence;
    source = MakeSequenceRounds(
        OpenSequence(
            files_, stages_, sources_, how.shared() ? options_.group : nullptr,
            {topology_.hosts, topology_.host, stages_.epochs,
             how.how == SequenceReading::kOneReads, options_.max_record_bytes}),
        {std::move(rounds), records});
  }
  ArrangeOptions arrange = Arrange(job_->decoder);
  arrange.held_bytes = WaitingLimit();
  placement_ = MakeStreamed(
      job_, std::move(source), alone ? nullptr : options_.group, *tasks_,
      Steps(MakeArranger(std::move(arrange)), StepsOf()), streamed);
  return OkStatus();
}

PipelineFacts Compiler::Facts() const {
  PipelineFacts facts = FactsOf({.job = *job_,
                                 .sources = sources_,
                                 .tree = tree_,
                                 .choice = choice_,
                                 .options = options_,
                                 .arrange = Arrange(job_->decoder),
                                 .forecast = forecast_,
                                 .placement = *placement_,
                                 .length_bytes = own_length_bytes_,
                                 .carries = StepsOf().Carries(),
                                 .withdrawn = !withdrawn_.empty(),
                                 .threads = tasks_->threads()});
  facts.lockstep = Lockstep();
  return facts;
}

}  // namespace

StatusOr<Pipeline> Compile(const Dataset& dataset, const Topology& topology,
                           CompileOptions options) {
  Group* const group = options.group;
  using Made = StatusOr<Pipeline>;
  Made made =
      GuardMemory(NoMemory("the pipeline", "compile the graph"), [&]() -> Made {
        Compiler compiler(topology, options);
        const Status prepared = compiler.Prepare(dataset);
        if (!prepared.ok()) {
          // Others hear of it, too.
          return topology.hosts > 1 && group != nullptr
                     ? Annotate(prepared, fmt::format("host {}", topology.host))
                     : prepared;
        }
        if (group != nullptr) {
          PENSTOCK_RETURN_IF_ERROR(CheckGroup(topology, *group));
          PENSTOCK_RETURN_IF_ERROR(CompareClaims(
              ClaimsOf(*compiler.job(), compiler.choice()), *group));
        }
        PipelineFacts facts = compiler.Facts();
        return Pipeline(std::make_unique<Pipeline::Impl>(
            compiler.job(), compiler.TakeTasks(), compiler.TakePlacement(),
            group, options.buffer_bytes, std::move(facts)));
      });
  if (made.ok() || group == nullptr) return made;
  // The others would wait for this one.
  group->Fail(made.status());
  return group->failed();
}

}  // namespace penstock
