#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "formats/files/status_or.h"
#include "pipeline/graph/check_arranging.h"
#include "pipeline/graph/check_derived.h"
#include "pipeline/graph/check_stages.h"
#include "pipeline/graph/segment.h"
#include "pipeline/graph/stages.h"
#include "pipeline/graph/zip.h"

namespace penstock {
namespace {

// How far along a graph is. Before Bucket or Pad, stages may stand in any
// order: each says something of its own about the epoch.
enum class Rank { kRows, kArranged, kBatched };

class Flattener {
 public:
  // All of the graph that ends with `node`.
  Status Walk(const Node& node);

  Status Visit(const ReadStage& stage) {
    if (stage.pattern.empty()) return Wrong("no files are named");
    out.sources.push_back({.read = stage});
    return OkStatus();
  }
  Status Visit(const ZipStage&) { return Before(Rank::kArranged, "Zip"); }
  Status Visit(const MixStage& stage) {
    if (stage.weights.empty()) return Wrong("Mix of no datasets");
    return BeginEpochs("Mix");
  }
  Status Visit(const ConcatStage&) {
    if (out.sources.empty()) return Wrong("Concat of no datasets");
    return BeginEpochs("Concat");
  }
  Status Visit(const SliceOptions& stage) {
    const char* name = ViewName(Stage(stage));
    if (stage.end <= stage.begin) {
      return Wrong(fmt::format("{} of no records", name));
    }
    return BeginEpochs(name);
  }
  Status Visit(const SplitOptions& stage) {
    if (!(stage.begin >= 0 && stage.begin < stage.end && stage.end <= 1)) {
      return Wrong(fmt::format(
          "Split has no records from {} to {}: parts are of 0 to 1, such as "
          ".begin = 0.99, .end = 1",
          stage.begin, stage.end));
    }
    out.views = true;
    return Before(Rank::kArranged, "Split");
  }
  Status Visit(const ExcludeStage&) {
    out.views = true;
    return Before(Rank::kArranged, "Exclude");
  }
  Status Visit(const WithdrawStage& stage) {
    std::vector<uint64_t> all;
    std::ranges::set_union(out.withdrawn, stage.record_ids,
                           std::back_inserter(all));
    out.withdrawn = std::move(all);
    return Before(Rank::kArranged, "Withdraw");
  }
  Status Visit(const ParseStage& stage) {
    for (SourceStages& source : out.sources) {
      if (!source.sides.empty()) {
        return Wrong(
            "Parse after Zip: each of its datasets has its own; put it before, "
            "and Select after");
      }
      if (!source.read.examples && !source.read.megatron) {
        return Wrong(
            "Parse takes features out of tf.train.Example; a corpus has "
            "only \"text\": leave Parse out or read TfRecords");
      }
      if (!source.features.empty()) {
        return Wrong("two Parse stages: give all features to one");
      }
      if (source.tokenize) return Wrong("Parse after Tokenize: put it before");
      if (stage.features.empty()) return Wrong("Parse without a feature");
      source.features = stage.features;
    }
    return Before(Rank::kArranged, "Parse");
  }
  Status Visit(const ShuffleOptions& stage) {
    if (out.shuffle) return Wrong("two Shuffle stages: one shuffles fully");
    out.shuffle = stage;
    return Before(Rank::kArranged, "Shuffle");
  }
  Status Visit(const RepeatOptions& stage) {
    if (repeated_) return Wrong("two Repeat stages: multiply their epochs");
    repeated_ = true;
    out.epochs = stage.epochs;
    return Before(Rank::kArranged, "Repeat");
  }
  Status Visit(const TokenizeStage& stage) {
    for (SourceStages& source : out.sources) {
      if (source.tokenize) return Wrong("two Tokenize stages");
      if (stage.tokenizer == nullptr) {
        return Wrong("Tokenize without tokenizer");
      }
      source.tokenize = stage;
    }
    return Before(Rank::kArranged, "Tokenize");
  }
  Status Visit(const RowOp& stage) {
    for (SourceStages& source : out.sources) {
      if (source.features.empty() && source.read.examples &&
          source.sides.empty()) {
        return Wrong(
            "there is no Parse before Select, Rename, Constant, Map, Filter "
            "or FlatMap: it says which features rows have");
      }
      if (!source.tokenize) ++source.ops_before_tokenize;
      source.row_ops.push_back(stage);
    }
    return Before(Rank::kArranged,
                  "Select, Rename, Constant, Map, Filter or FlatMap");
  }
  Status Visit(const DeriveStage& stage) {
    if (!out.derived.empty()) {
      return Wrong("two Derive stages: give all tensors to one");
    }
    if (stage.tensors.empty()) return Wrong("Derive without a tensor");
    out.derived = stage.tensors;
    return Before(Rank::kBatched, "Derive");
  }
  Status Visit(const ObjectiveStage& stage) {
    if (out.objective) return Wrong("two Objective stages: keep one");
    out.objective = stage.objective;
    return Before(Rank::kBatched, "Objective");
  }
  Status Visit(const BucketOptions& stage) {
    PENSTOCK_RETURN_IF_ERROR(Arrange("Bucket"));
    out.bucket = stage;
    return OkStatus();
  }
  Status Visit(const PadOptions& stage) {
    PENSTOCK_RETURN_IF_ERROR(Arrange("Pad"));
    out.pad = stage;
    return OkStatus();
  }
  Status Visit(const PackOptions& stage) {
    PENSTOCK_RETURN_IF_ERROR(Arrange("Pack"));
    out.pack = stage;
    return OkStatus();
  }
  Status Visit(const BatchOptions& stage) {
    if (rank_ == Rank::kBatched) return Wrong("two Batch stages");
    rank_ = Rank::kBatched;
    out.batch = stage;
    return OkStatus();
  }

  bool batched() const { return rank_ == Rank::kBatched; }

  Stages out;

 private:
  Status WalkZip(const Node& node);
  static Status Wrong(std::string message) {
    return InvalidArgumentError(std::move(message));
  }
  Status Before(Rank limit, std::string_view name) const {
    if (rank_ < limit) return OkStatus();
    return Wrong(
        fmt::format("{} after {}: put it before", name,
                    rank_ == Rank::kBatched ? "Batch" : "Bucket, Pad or Pack"));
  }
  Status Arrange(std::string_view name) {
    if (rank_ == Rank::kBatched) return Before(Rank::kBatched, name);
    if (rank_ == Rank::kArranged) {
      return Wrong(
          "two of Bucket, Pad and Pack: a batch has one length; keep one");
    }
    rank_ = Rank::kArranged;
    return OkStatus();
  }
  // Shuffle and Repeat below are those of other epochs.
  Status BeginEpochs(std::string_view name) {
    PENSTOCK_RETURN_IF_ERROR(Before(Rank::kArranged, name));
    out.views = true;
    out.shuffle.reset();
    out.epochs = 1;
    repeated_ = false;
    return OkStatus();
  }

  Rank rank_ = Rank::kRows;
  bool repeated_ = false;
};

Status Flattener::WalkZip(const Node& node) {
  std::vector<SourceStages> sides;
  for (const auto& parent : node.parents) {
    PENSTOCK_ASSIGN_OR_RETURN(const SliceOptions part, PartInZip(*parent));
    Flattener side;
    PENSTOCK_RETURN_IF_ERROR(side.Walk(*parent));
    sides.push_back(std::move(side.out.sources.front()));
    sides.back().part = part;
  }
  PENSTOCK_ASSIGN_OR_RETURN(SourceStages zip, ZipOf(std::move(sides)));
  out.sources.push_back(std::move(zip));
  return OkStatus();
}

Status Flattener::Walk(const Node& node) {
  const bool zips = std::holds_alternative<ZipStage>(node.stage);
  if (zips) PENSTOCK_RETURN_IF_ERROR(WalkZip(node));
  const bool joins = std::holds_alternative<MixStage>(node.stage) ||
                     std::holds_alternative<ConcatStage>(node.stage);
  for (const auto& parent : node.parents) {
    if (zips) break;
    if (!joins) {
      PENSTOCK_RETURN_IF_ERROR(Walk(*parent));
      continue;
    }
    Flattener part;
    PENSTOCK_RETURN_IF_ERROR(part.Walk(*parent));
    if (part.rank_ != Rank::kRows) {
      const char* name = ViewName(node.stage);
      return Wrong(
          fmt::format("a dataset inside {} has Bucket, Pad or Batch: put them "
                      "after {}",
                      name, name));
    }
    if (!part.out.derived.empty() || part.out.objective) {
      const char* name = ViewName(node.stage);
      return Wrong(
          fmt::format("a dataset inside {} has Derive or Objective: put them "
                      "after {}",
                      name, name));
    }
    if (!part.out.withdrawn.empty()) {
      const char* name = ViewName(node.stage);
      return Wrong(fmt::format(
          "a dataset inside {} has Withdraw: put it after {}", name, name));
    }
    for (SourceStages& source : part.out.sources) {
      out.sources.push_back(std::move(source));
    }
  }
  return std::visit([&](const auto& stage) { return Visit(stage); },
                    node.stage);
}

}  // namespace

StatusOr<Stages> FlattenStages(const Dataset& dataset) {
  Flattener flattener;
  PENSTOCK_RETURN_IF_ERROR(flattener.Walk(*dataset.node()));
  if (!flattener.batched()) {
    return InvalidArgumentError(
        "the graph has no Batch: end it with .Batch({.size = ...})");
  }
  Stages stages = std::move(flattener.out);
  stages.root = dataset.node();
  NameFeatures(stages);
  PENSTOCK_RETURN_IF_ERROR(CheckSources(stages));
  PENSTOCK_RETURN_IF_ERROR(SetBucketRows(stages));
  if (stages.bucket && !stages.bucket->rows.empty() && stages.batch.size == 0) {
    stages.batch.size = *std::ranges::max_element(stages.bucket->rows);
  }
  PENSTOCK_RETURN_IF_ERROR(CheckFeatures(stages));
  PENSTOCK_RETURN_IF_ERROR(CheckArranging(stages));
  PENSTOCK_RETURN_IF_ERROR(CheckBatch(stages));
  ExpandObjective(stages);
  PENSTOCK_RETURN_IF_ERROR(CheckDerived(stages));
  return stages;
}

}  // namespace penstock
