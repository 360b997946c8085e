#include "pipeline/compile/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/graph/row_parts.h"
#include "pipeline/graph/sharding.h"
#include "pipeline/graph/sources.h"

namespace penstock {
namespace {

constexpr size_t kMostPlans = 256;

using Graph = std::vector<StatePart>;

size_t SourcesOf(const Graph& graph) {
  return static_cast<size_t>(std::ranges::count_if(
      graph,
      [](const StatePart& part) { return part.name.starts_with(kDataPart); }));
}

// Names of stages that are of the whole graph, whatever sources there are.
bool IsOfAll(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "Mix",           "the weights",  "Bucket",  "Pad",
      "Pack",          "Batch",        "Derive",  "Objective",
      "waiting_bytes", "window_bytes", "Withdraw"};
  return std::ranges::any_of(kNames, [name](std::string_view of_all) {
    return name.starts_with(of_all);
  });
}

// How much of "Take of source 1, number 2" is before the number.
size_t PlainSize(std::string_view name) {
  constexpr std::string_view kNumber = ", number ";
  const size_t end = name.find_last_not_of("0123456789") + 1;
  return end < name.size() && name.substr(0, end).ends_with(kNumber)
             ? end - kNumber.size()
             : name.size();
}

// As a graph of `sources` sources would name the parts of one that had one.
Graph NamedFor(size_t sources, Graph graph) {
  if (SourcesOf(graph) != 1) return graph;
  for (StatePart& part : graph) {
    if (IsOfAll(part.name)) continue;
    part.name.insert(PlainSize(part.name), OfSource(0, sources));
  }
  return graph;
}

// The last part whose name begins so: that of the last view.
std::string LastOf(const Graph& graph, std::string_view prefix) {
  std::string last;
  for (const StatePart& part : graph) {
    if (part.name.starts_with(prefix)) last = part.name;
  }
  return last;
}

// Of a part that is what files are: "", " of source 1" ...
std::optional<std::string> WhoseData(const std::string& part) {
  if (part.starts_with(kDataPart)) {
    return part.substr(std::string_view(kDataPart).size());
  }
  if (part.starts_with(kSidePart)) return " of " + part;
  return std::nullopt;
}

const char* NameOf(Change change) {
  switch (change) {
    case Change::kBatches:
      return "Change::kBatches";
    case Change::kMix:
      return "Change::kMix";
    case Change::kSources:
      return "Change::kSources";
    case Change::kWithdrawn:
      return "Change::kWithdrawn";
  }
  return "";
}

// The graph of a state beside that of the run which is to go on from it.
class Comparison {
 public:
  Comparison(const Job& job, const State& state)
      : job_(job),
        before_(NamedFor(SourcesOf(job.graph), state.graph)),
        sources_(SourcesOf(state.graph)) {}

  // In what they differ.
  // Errors:  of what is not declared.
  StatusOr<std::set<Change>> Changes();

 private:
  // What a part is that only one of both has like this, if it may change.
  std::optional<Change> ChangeOf(const std::string& name,
                                 const Graph& graph) const;
  bool MayChange(const StatePart& part, const Graph& graph, const Graph& other);
  Graph Rest(const Graph& graph, const Graph& other);

  const Job& job_;
  const Graph before_;
  const size_t sources_;  // of the state
  std::set<Change> found_;
};

std::optional<Change> Comparison::ChangeOf(const std::string& name,
                                           const Graph& graph) const {
  for (const char* arranging :
       {"Bucket", "Pad", "Pack", "Batch", "waiting_bytes"}) {
    if (name == arranging) return Change::kBatches;
  }
  if (name == "Withdraw") return Change::kWithdrawn;
  if (job_.mixed > 0 &&
      (name == LastOf(graph, "Mix") || name == LastOf(graph, "the weights"))) {
    return Change::kMix;
  }
  const std::string plain = name.substr(0, PlainSize(name));
  for (size_t source = sources_; source < SourcesOf(job_.graph); ++source) {
    if (plain.ends_with(OfSource(source, SourcesOf(job_.graph)))) {
      return Change::kSources;
    }
  }
  return std::nullopt;
}

bool Comparison::MayChange(const StatePart& part, const Graph& graph,
                           const Graph& other) {
  if (std::ranges::find(other, part) != other.end()) return false;
  std::optional<Change> change = ChangeOf(part.name, graph);
  if (!change) return false;
  const auto declared = [this](Change kind) {
    return std::ranges::find(job_.changed, kind) != job_.changed.end();
  };
  // Other datasets have other weights.
  if (*change == Change::kMix && sources_ < SourcesOf(job_.graph)) {
    change = Change::kSources;
  }
  if (!declared(*change)) return false;
  found_.insert(*change);
  return true;
}

// The parts of `graph` that must be those of `other`.
Graph Comparison::Rest(const Graph& graph, const Graph& other) {
  Graph rest;
  for (const StatePart& part : graph) {
    if (!MayChange(part, graph, other)) rest.push_back(part);
  }
  return rest;
}

StatusOr<std::set<Change>> Comparison::Changes() {
  const Graph after = Rest(job_.graph, before_);
  const Graph before = Rest(before_, job_.graph);
  const auto [ours, theirs] = std::ranges::mismatch(after, before);
  if (ours == after.end() && theirs == before.end()) return found_;
  const StatePart& differs = ours != after.end() ? *ours : *theirs;
  const auto change = ChangeOf(
      differs.name, ours != after.end() ? job_.graph.vector() : before_);
  const std::string hint = change ? fmt::format(
                                        "; if it is meant to, name {} in "
                                        "CompileOptions::changed",
                                        NameOf(*change))
                                  : "";
  if (ours != after.end() && theirs != before.end() &&
      ours->name == theirs->name) {
    if (const auto whose = WhoseData(ours->name)) {
      return FailedPreconditionError(fmt::format(
          "the state is of another dataset: names, sizes, checksums or numbers "
          "of records of the files{} differ",
          *whose));
    }
    return FailedPreconditionError(fmt::format(
        "the state is of this data but of another graph: {} differs{}",
        ours->name, hint));
  }
  const std::string here = ours == after.end() ? "no stage" : ours->name;
  const std::string there = theirs == before.end() ? "no stage" : theirs->name;
  return FailedPreconditionError(
      fmt::format("the state is of another graph: it has {} where this has "
                  "{}{}",
                  there, here, hint));
}

// Sets where the Mix of `plan` begins anew.
Status BeginMix(const Job& job, const State& state, bool sources,
                PlanBegin& plan) {
  if (state.taken.empty()) {
    return FailedPreconditionError(
        "the state does not say what each dataset of its Mix had given, as it "
        "is of a graph whose last view is no Mix, or was saved by an earlier "
        "release: go on without a change, save, and change then");
  }
  const size_t added = SourcesOf(job.graph) - SourcesOf(state.graph);
  if (job.mixed != state.taken.size() + (sources ? added : 0)) {
    return FailedPreconditionError(fmt::format(
        "the Mix had {} datasets and now has {}, with {} more sources: put "
        "each "
        "new source behind the others of that Mix, as a dataset of its own",
        state.taken.size(), job.mixed, added));
  }
  plan.taken = state.taken;
  plan.taken.resize(job.mixed);
  plan.position = 0;
  return OkStatus();
}

const StatePart* FindSharding(const Graph& graph) {
  const auto found = std::ranges::find_if(graph, [](const StatePart& part) {
    return part.name.starts_with(kShardingPart);
  });
  return found == graph.end() ? nullptr : &*found;
}

// A state of one host's share is none of another's.
Status CheckSharding(const Graph& graph, const State& state) {
  const StatePart* const ours = FindSharding(graph);
  const StatePart* const theirs = FindSharding(state.graph);
  if (ours == nullptr && theirs == nullptr) return OkStatus();
  if (ours != nullptr && theirs != nullptr && *ours == *theirs) {
    return OkStatus();
  }
  const auto told = [](const StatePart* part) {
    return part == nullptr ? "without shard_by" : "with " + part->name;
  };
  const bool alike =
      ours != nullptr && theirs != nullptr && ours->name == theirs->name;
  return FailedPreconditionError(fmt::format(
      "the state is of a run {}, this one is {}{}: with shard_by, rows of a "
      "batch are of one host each, so that a state goes on only on as many "
      "hosts that feed the same rows; without it (ShardBy::kPlan, the default) "
      "a run goes on on any number of hosts",
      told(theirs), told(ours), alike ? ", whose hosts feed other rows" : ""));
}

}  // namespace

StatusOr<State> GoingOnFrom(const Job& job, const State& state) {
  PENSTOCK_RETURN_IF_ERROR(CheckSharding(job.graph, state));
  PENSTOCK_ASSIGN_OR_RETURN(const std::set<Change> changes,
                            Comparison(job, state).Changes());
  if (changes.empty()) return state;
  if (FindSharding(job.graph) != nullptr) {
    return FailedPreconditionError(
        "with shard_by a run cannot change on its way: leave one of both out");
  }
  State changed = state;
  std::vector<PlanBegin> lineage = state.lineage;
  if (lineage.empty()) lineage.push_back({.graph = state.graph});
  if (lineage.size() == kMostPlans) {
    return FailedPreconditionError(
        fmt::format("the run has had {} plans, which is the most", kMostPlans));
  }
  PlanBegin plan = {.graph = job.graph,
                    .step = state.step,
                    .epoch = state.epoch,
                    .position = state.position,
                    .counts = state.counts};
  const bool sources = changes.contains(Change::kSources);
  if (sources || changes.contains(Change::kMix)) {
    PENSTOCK_RETURN_IF_ERROR(BeginMix(job, state, sources, plan));
  }
  changed.graph = job.graph;
  changed.position = plan.position;
  lineage.push_back(std::move(plan));
  changed.lineage = std::move(lineage);
  // Of a record in pieces only the first counts: it says where to go on.
  changed.ahead.clear();
  for (const HeldPiece& piece : state.held) {
    if (!changed.ahead.empty() && piece.begin > 0) continue;
    changed.ahead.push_back({.record = piece.record, .begin = piece.begin});
  }
  changed.ahead.insert(changed.ahead.end(), state.ahead.begin(),
                       state.ahead.end());
  changed.held.clear();
  if (!job.stages.chunks() && !changed.ahead.empty() &&
      changed.ahead.front().begin > 0) {
    return FailedPreconditionError(
        fmt::format("record {} was cut by Pack and its rest waits, which only "
                    "PackKind::kChunk can go on with: keep that, or change at "
                    "the end of an "
                    "epoch",
                    changed.ahead.front().record));
  }
  return changed;
}

}  // namespace penstock
