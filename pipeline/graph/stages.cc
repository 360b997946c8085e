#include "pipeline/graph/stages.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "formats/files/status_or.h"
#include "pipeline/graph/check_stages.h"
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
};

}  // namespace

std::string Stages::by() const {
  if (bucket) return bucket->by;
  return pad ? pad->by : "";
}

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

uint64_t Stages::Fingerprint() const {
  Fingerprinter hash;
  hash.Add(MakeContract().Fingerprint());
  hash.Add(features.size());
  for (const Feature& feature : features) {
    hash.Add(feature.name)
        .Add(static_cast<uint64_t>(feature.type))
        .Add(static_cast<uint64_t>(feature.length))
        .Add(feature.optional);
    // Only where there is one, so that states written before stay good.
    if (feature.encoding != FeatureEncoding::kPlain) {
      hash.Add(static_cast<uint64_t>(feature.encoding));
    }
  }
  hash.Add(shuffle.has_value());
  if (shuffle) hash.Add(shuffle->seed).Add(shuffle->window_records);
  hash.Add(epochs);
  hash.Add(tokenize.has_value());
  if (tokenize) {
    hash.Add(tokenize->tokenizer->Fingerprint())
        .Add(tokenize->options.from)
        .Add(tokenize->options.to)
        .Add(static_cast<uint64_t>(tokenize->options.encode.special_text))
        .Add(tokenize->options.encode.add_special_tokens);
  }
  hash.Add(bucket.has_value()).Add(pad.has_value()).Add(by());
  hash.Add(static_cast<uint64_t>(too_long()));
  hash.Add(static_cast<uint64_t>(batch.leftover));
  return hash.Finish();
}

Contract Stages::MakeContract() const {
  Contract contract;
  contract.rows = batch.size;
  contract.lengths = lengths();
  for (const Feature& feature : batched) {
    TensorSpec tensor;
    tensor.name = feature.name;
    tensor.type = feature.type == FeatureType::kFloat ? ElementType::kFloat32
                                                      : feature.as;
    if (feature.length == Feature::kVarying) {
      tensor.row_shape = {TensorSpec::kBucketLength};
    } else if (feature.length > 1) {
      tensor.row_shape = {feature.length};
    }
    if (feature.name == by()) {
      tensor.pad_value = bucket ? bucket->pad_value : pad->pad_value;
    }
    contract.tensors.push_back(tensor);
    if (feature.length == Feature::kVarying) {
      contract.tensors.push_back({.name = LengthsName(feature.name),
                                  .type = ElementType::kInt32,
                                  .row_shape = {},
                                  .pad_value = 0,
                                  .role = Role::kLengths});
    }
  }
  contract.tensors.push_back({.name = kRowMaskName,
                              .type = ElementType::kFloat32,
                              .row_shape = {},
                              .pad_value = 0,
                              .role = Role::kWeights});
  return contract;
}

StatusOr<Stages> FlattenStages(const Dataset& dataset, uint32_t shards) {
  std::vector<const Node*> nodes;
  for (const Node* node = dataset.node().get(); node != nullptr;
       node = node->parent.get()) {
    nodes.push_back(node);
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
  PENSTOCK_RETURN_IF_ERROR(CheckBatch(stages, shards));
  return stages;
}

}  // namespace penstock
