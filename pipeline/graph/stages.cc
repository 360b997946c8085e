#include "pipeline/graph/stages.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "formats/files/status_or.h"
#include "pipeline/graph/check_derived.h"
#include "pipeline/graph/check_stages.h"
#include "pipeline/graph/derived_parts.h"
#include "pipeline/graph/tensors.h"
#include "tokenizer/interface/fingerprint.h"

namespace penstock {
namespace {

// How far along a graph is. Before Bucket or Pad, stages may stand in any
// order: each says something of its own about the epoch.
enum class Rank { kRows, kArranged, kBatched };

class Flattener {
 public:
  Status Visit(const ReadStage& stage) {
    if (stage.pattern.empty()) return Wrong("no files are named");
    out.read = stage;
    return OkStatus();
  }
  Status Visit(const ParseStage& stage) {
    if (!out.read.examples) {
      return Wrong(
          "Parse takes features out of tf.train.Example; a corpus has "
          "only \"text\": leave Parse out or read TfRecords");
    }
    if (parsed_) return Wrong("two Parse stages: give all features to one");
    if (out.tokenize) return Wrong("Parse after Tokenize: put it before");
    parsed_ = true;
    if (stage.features.empty()) return Wrong("Parse without a feature");
    out.features = stage.features;
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
    if (out.tokenize) return Wrong("two Tokenize stages");
    if (stage.tokenizer == nullptr) return Wrong("Tokenize without tokenizer");
    out.tokenize = stage;
    return Before(Rank::kArranged, "Tokenize");
  }
  Status Visit(const RowOp& stage) {
    if (!parsed_ && out.read.examples) {
      return Wrong(
          "there is no Parse before Select, Rename, Constant, Map or Filter: "
          "it "
          "says which features rows have");
    }
    if (!out.tokenize) ++out.ops_before_tokenize;
    out.row_ops.push_back(stage);
    return Before(Rank::kArranged, "Select, Rename, Constant, Map or Filter");
  }
  Status Visit(const DeriveStage& stage) {
    if (derived_) return Wrong("two Derive stages: give all tensors to one");
    derived_ = true;
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
  Status Visit(const BatchOptions& stage) {
    if (rank_ == Rank::kBatched) return Wrong("two Batch stages");
    rank_ = Rank::kBatched;
    out.batch = stage;
    return OkStatus();
  }

  bool parsed() const { return parsed_; }
  bool batched() const { return rank_ == Rank::kBatched; }

  Stages out;

 private:
  static Status Wrong(std::string message) {
    return InvalidArgumentError(std::move(message));
  }
  Status Before(Rank limit, std::string_view name) const {
    if (rank_ < limit) return OkStatus();
    return Wrong(
        fmt::format("{} after {}: put it before", name,
                    rank_ == Rank::kBatched ? "Batch" : "Bucket or Pad"));
  }
  Status Arrange(std::string_view name) {
    if (rank_ == Rank::kBatched) return Before(Rank::kBatched, name);
    if (rank_ == Rank::kArranged) {
      return Wrong("two of Bucket and Pad: a batch has one length; keep one");
    }
    rank_ = Rank::kArranged;
    return OkStatus();
  }

  Rank rank_ = Rank::kRows;
  bool parsed_ = false;
  bool repeated_ = false;
  bool derived_ = false;
};

}  // namespace

std::string Stages::by() const {
  if (bucket) return bucket->by;
  return pad ? pad->by : "";
}

double Stages::pad_value() const {
  if (bucket) return bucket->pad_value;
  return pad ? pad->pad_value : 0;
}

std::string Stages::length_column() const {
  const auto i = FindFeature(*this, by());
  return i ? origins[*i] : "";
}

bool Stages::rows_vary() const { return !by().empty() || Filters(*this); }

TooLong Stages::too_long() const {
  if (bucket) return bucket->too_long;
  return pad ? pad->too_long : TooLong::kError;
}

std::vector<int64_t> Stages::lengths() const {
  if (bucket) return bucket->lengths;
  if (!pad) return {0};
  std::vector<int64_t> lengths;
  for (int64_t length = pad->multiple_of; length <= pad->max_length;
       length += pad->multiple_of) {
    lengths.push_back(length);
  }
  return lengths;
}

std::vector<StatePart> Stages::Parts() const {
  std::vector<StatePart> parts;
  Fingerprinter parse;
  for (const Feature& feature : features) {
    parse.Add(feature.name)
        .Add(static_cast<uint64_t>(feature.type))
        .Add(static_cast<uint64_t>(feature.length))
        .Add(static_cast<uint64_t>(feature.as.value_or(ElementType::kInt32)))
        .Add(feature.optional)
        .Add(static_cast<uint64_t>(feature.encoding));
    AddForm(feature, parse);
  }
  parts.push_back({"Parse", parse.Finish()});
  if (shuffle) {
    parts.push_back({"Shuffle", Fingerprinter()
                                    .Add(shuffle->seed)
                                    .Add(shuffle->window_records)
                                    .Finish()});
  }
  if (tokenize) {
    const EncodeOptions& encode = tokenize->options.encode;
    Fingerprinter text;
    text.Add(tokenize->tokenizer->Fingerprint())
        .Add(tokenize->options.from)
        .Add(tokenize->options.to)
        .Add(static_cast<uint64_t>(encode.special_text))
        .Add(encode.add_special_tokens);
    if (tokenize->options.as != ElementType::kInt32) {
      text.Add(static_cast<uint64_t>(tokenize->options.as));
    }
    AddForm(TokenizedFeature(tokenize->options), text);
    parts.push_back({"Tokenize", text.Finish()});
  }
  AddRowOpParts(*this, parts);
  AddDerivedParts(*this, parts);
  if (bucket || pad) {
    Fingerprinter arrange;
    arrange.Add(by()).Add(static_cast<uint64_t>(too_long()));
    arrange.Add(std::bit_cast<uint64_t>(pad_value()));
    for (const int64_t length : lengths()) {
      arrange.Add(static_cast<uint64_t>(length));
    }
    parts.push_back({bucket ? "Bucket" : "Pad", arrange.Finish()});
  }
  parts.push_back({"Batch", Fingerprinter()
                                .Add(static_cast<uint64_t>(batch.size))
                                .Add(static_cast<uint64_t>(batch.leftover))
                                .Finish()});
  return parts;
}

Contract Stages::MakeContract() const {
  Contract contract;
  contract.rows = batch.size;
  contract.lengths = lengths();
  for (BatchTensor& tensor : TensorsOf(*this)) {
    contract.tensors.push_back(std::move(tensor.spec));
  }
  return contract;
}

StatusOr<Stages> FlattenStages(const Dataset& dataset) {
  std::vector<const Node*> nodes;
  for (const Node* node = dataset.node().get(); node != nullptr;) {
    nodes.push_back(node);
    node = node->parents.empty() ? nullptr : node->parents.front().get();
  }
  Flattener flattener;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    PENSTOCK_RETURN_IF_ERROR(
        std::visit([&](const auto& stage) { return flattener.Visit(stage); },
                   (*node)->stage));
  }
  if (!flattener.batched()) {
    return InvalidArgumentError(
        "the graph has no Batch: end it with .Batch({.size = ...})");
  }
  Stages stages = std::move(flattener.out);
  if (!flattener.parsed()) NameFeatures(stages);
  PENSTOCK_RETURN_IF_ERROR(CheckFeatures(stages));
  PENSTOCK_RETURN_IF_ERROR(CheckArranging(stages));
  PENSTOCK_RETURN_IF_ERROR(CheckBatch(stages));
  ExpandObjective(stages);
  PENSTOCK_RETURN_IF_ERROR(CheckDerived(stages));
  return stages;
}

}  // namespace penstock
