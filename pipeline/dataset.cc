#include "pipeline/dataset.h"

#include <algorithm>
#include <utility>

#include "formats/open.h"
#include "formats/streams/file_kind.h"
#include "pipeline/graph/node.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {
namespace {

std::shared_ptr<const Node> Read(ReadStage stage) {
  return std::make_shared<const Node>(Node{{}, std::move(stage)});
}

std::shared_ptr<const Node> Append(std::shared_ptr<const Node> parent,
                                   Stage stage) {
  return std::make_shared<const Node>(
      Node{{std::move(parent)}, std::move(stage)});
}

std::shared_ptr<const Node> Join(const std::vector<Dataset>& datasets,
                                 Stage stage) {
  Node node = {{}, std::move(stage)};
  for (const Dataset& dataset : datasets) {
    node.parents.push_back(dataset.node());
  }
  return std::make_shared<const Node>(std::move(node));
}

void SortOnce(std::vector<uint64_t>& ids) {
  std::ranges::sort(ids);
  const auto [first, last] = std::ranges::unique(ids);
  ids.erase(first, last);
}

}  // namespace

Dataset::Dataset(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

Dataset Dataset::TfRecords(std::string pattern) {
  return TfRecords(std::move(pattern), OpenOptions());
}

Dataset Dataset::TfRecords(std::string pattern, OpenOptions options) {
  options.kind = FileKind::kTfRecord;
  options.example_feature = std::nullopt;
  options.look_for_examples = false;
  return Dataset(Read(ReadStage{.pattern = std::move(pattern),
                                .options = std::move(options),
                                .examples = true}));
}

Dataset Dataset::Corpus(std::string pattern) {
  return Corpus(std::move(pattern), OpenOptions());
}

Dataset Dataset::Corpus(std::string pattern, OpenOptions options) {
  options.look_for_examples = true;
  return Dataset(Read(ReadStage{.pattern = std::move(pattern),
                                .options = std::move(options),
                                .examples = false}));
}

Dataset Dataset::Columns(std::shared_ptr<const Examples> rows,
                         std::string name) {
  if (rows == nullptr) rows = std::make_shared<const Examples>();
  return Dataset(Read(ReadStage{.pattern = std::move(name),
                                .examples = true,
                                .columns = std::move(rows)}));
}

Dataset Dataset::MegatronTokens(std::string path) {
  return Dataset(Read(ReadStage{.pattern = std::move(path), .megatron = true}));
}

Dataset Dataset::Mix(std::vector<MixSource> sources, MixOptions options) {
  MixStage stage = {.weights = {}, .options = std::move(options)};
  Node node;
  for (const MixSource& source : sources) {
    stage.weights.push_back(source.weight);
    node.parents.push_back(source.dataset.node());
  }
  node.stage = std::move(stage);
  return Dataset(std::make_shared<const Node>(std::move(node)));
}

Dataset Dataset::Zip(std::vector<Dataset> datasets) {
  return Dataset(Join(datasets, ZipStage{}));
}

Dataset Dataset::Concat(std::vector<Dataset> datasets) {
  return Dataset(Join(datasets, ConcatStage{}));
}

Dataset Dataset::Take(uint64_t records) const {
  return Slice({.begin = 0, .end = records});
}

Dataset Dataset::Skip(uint64_t records) const {
  return Slice({.begin = records});
}

Dataset Dataset::Slice(SliceOptions options) const {
  return Dataset(Append(node_, options));
}

Dataset Dataset::Split(SplitOptions options) const {
  return Dataset(Append(node_, options));
}

Dataset Dataset::Exclude(std::vector<uint64_t> record_ids) const {
  SortOnce(record_ids);
  return Dataset(Append(node_, ExcludeStage{std::move(record_ids)}));
}

Dataset Dataset::Withdraw(std::vector<uint64_t> record_ids) const {
  SortOnce(record_ids);
  return Dataset(Append(node_, WithdrawStage{std::move(record_ids)}));
}

Dataset Dataset::Parse(std::vector<Feature> features) const {
  return Dataset(Append(node_, ParseStage{std::move(features)}));
}

Dataset Dataset::Shuffle(ShuffleOptions options) const {
  return Dataset(Append(node_, options));
}

Dataset Dataset::Repeat(RepeatOptions options) const {
  return Dataset(Append(node_, options));
}

Dataset Dataset::Tokenize(std::shared_ptr<const Tokenizer> tokenizer,
                          TokenizeOptions options) const {
  return Dataset(
      Append(node_, TokenizeStage{std::move(tokenizer), std::move(options)}));
}

Dataset Dataset::Select(std::vector<std::string> names) const {
  return Dataset(Append(node_, RowOp(SelectStage{std::move(names)})));
}

Dataset Dataset::Rename(RenameOptions options) const {
  return Dataset(Append(node_, RowOp(std::move(options))));
}

Dataset Dataset::Constant(ConstantOptions options) const {
  return Dataset(Append(node_, RowOp(std::move(options))));
}

Dataset Dataset::Map(MapOptions options, MapFunction function) const {
  return Dataset(
      Append(node_, RowOp(MapStage{std::move(options), std::move(function)})));
}

Dataset Dataset::Filter(FilterOptions options, FilterFunction function) const {
  return Dataset(Append(
      node_, RowOp(FilterStage{std::move(options), std::move(function)})));
}

Dataset Dataset::FlatMap(FlatMapOptions options,
                         FlatMapFunction function) const {
  return Dataset(Append(
      node_, RowOp(FlatMapStage{std::move(options), std::move(function)})));
}

Dataset Dataset::Derive(std::vector<Derived> tensors) const {
  return Dataset(Append(node_, DeriveStage{std::move(tensors)}));
}

Dataset Dataset::Objective(CausalLm objective) const {
  return Dataset(Append(node_, ObjectiveStage{std::move(objective)}));
}

Dataset Dataset::Objective(PrefixLm objective) const {
  return Dataset(Append(node_, ObjectiveStage{std::move(objective)}));
}

Dataset Dataset::Objective(FillInMiddle objective) const {
  return Dataset(Append(node_, ObjectiveStage{std::move(objective)}));
}

Dataset Dataset::Objective(MaskedLm objective) const {
  return Dataset(Append(node_, ObjectiveStage{std::move(objective)}));
}

Dataset Dataset::Objective(SpanCorruption objective) const {
  return Dataset(Append(node_, ObjectiveStage{std::move(objective)}));
}

Dataset Dataset::Bucket(BucketOptions options) const {
  return Dataset(Append(node_, std::move(options)));
}

Dataset Dataset::Pad(PadOptions options) const {
  return Dataset(Append(node_, std::move(options)));
}

Dataset Dataset::Pack(PackOptions options) const {
  return Dataset(Append(node_, std::move(options)));
}

Dataset Dataset::Batch(BatchOptions options) const {
  return Dataset(Append(node_, options));
}

}  // namespace penstock
