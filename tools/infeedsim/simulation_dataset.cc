#include "tools/infeedsim/simulation_dataset.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/datasets/manifest.h"
#include "formats/datasets/shard_names.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/open.h"
#include "infeed/training/simulation.h"
#include "pipeline/topology.h"
#include "tokenizer/interface/tokenizer.h"
#include "tools/arguments/numbers.h"
#include "tools/infeedsim/batch_arguments.h"

namespace penstock {
namespace {

StatusOr<FeatureEncoding> EncodingOf(const std::string& feature_name,
                                     const std::string& pattern) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                            ExpandPattern(LocalFiles(), pattern));
  PENSTOCK_ASSIGN_OR_RETURN(const std::optional<Manifest> manifest,
                            LoadManifestBeside(LocalFiles(), paths[0]));
  const ManifestFeature* feature =
      manifest ? manifest->Find(feature_name) : nullptr;
  return feature == nullptr ? FeatureEncoding::kPlain : feature->encoding;
}

std::vector<BucketFeature> BucketsWith(const SimulationArguments& arguments) {
  std::vector<BucketFeature> features;
  for (const std::string& text : arguments.buckets_with) {
    features.push_back(*ReadBucketsWith(text));
    features.back().pad_value = arguments.pad_value;
  }
  return features;
}

// What is taken of records that are Examples.
StatusOr<std::vector<Feature>> FeaturesOf(const SimulationArguments& arguments,
                                          const std::string& pattern) {
  std::vector<Feature> features = {{.name = arguments.by}};
  if (!arguments.tokenizer.path.empty()) {
    features = {{.name = "text", .type = FeatureType::kBytes, .length = 1}};
  } else if (arguments.encoding) {
    features[0].encoding = *arguments.encoding;
  } else {
    PENSTOCK_ASSIGN_OR_RETURN(features[0].encoding,
                              EncodingOf(arguments.by, pattern));
  }
  for (const BucketFeature& more : BucketsWith(arguments)) {
    features.push_back({.name = more.by});
    PENSTOCK_ASSIGN_OR_RETURN(features.back().encoding,
                              EncodingOf(more.by, pattern));
  }
  return features;
}

bool IsTokenFile(std::string_view pattern) {
  return pattern.ends_with(".idx") || pattern.ends_with(".bin");
}

StatusOr<Dataset> ReadDataset(const SimulationArguments& arguments,
                              const std::string& pattern) {
  // Megatron-LM's order is one of its own.
  const bool shuffle =
      arguments.shuffle && arguments.pack.kind != PackKind::kMegatron;
  if (!arguments.corpus && IsTokenFile(pattern)) {
    const Dataset tokens = Dataset::MegatronTokens(pattern);
    return shuffle ? tokens.Shuffle(arguments.shuffling) : tokens;
  }
  Dataset dataset = arguments.corpus
                        ? Dataset::Corpus(pattern, arguments.open)
                        : Dataset::TfRecords(pattern, arguments.open);
  if (!arguments.corpus &&
      (arguments.tokenizer.path.empty() || !arguments.buckets_with.empty())) {
    PENSTOCK_ASSIGN_OR_RETURN(std::vector<Feature> features,
                              FeaturesOf(arguments, pattern));
    dataset = dataset.Parse(std::move(features));
  }
  return shuffle ? dataset.Shuffle(arguments.shuffling) : dataset;
}

StatusOr<Dataset> MixDatasets(const SimulationArguments& arguments) {
  std::vector<MixSource> sources;
  for (const std::string& weighed : arguments.mix) {
    const size_t equals = weighed.rfind('=');
    PENSTOCK_ASSIGN_OR_RETURN(
        Dataset dataset, ReadDataset(arguments, weighed.substr(0, equals)));
    sources.push_back(
        {std::move(dataset),
         *ReadReal(std::string_view(weighed).substr(equals + 1))});
  }
  MixOptions options = arguments.mix_options;
  if (arguments.mix_tokens) options.by = arguments.by;
  return Dataset::Mix(std::move(sources), std::move(options));
}

}  // namespace

StatusOr<Dataset> MakeDataset(const SimulationArguments& arguments) {
  PENSTOCK_ASSIGN_OR_RETURN(Dataset dataset,
                            arguments.mix.empty()
                                ? ReadDataset(arguments, arguments.pattern)
                                : MixDatasets(arguments));
  if (!arguments.split.empty()) {
    const std::string_view split = arguments.split;
    const size_t colon = split.find(':');
    dataset = dataset.Split({.seed = arguments.split_seed,
                             .begin = *ReadReal(split.substr(0, colon)),
                             .end = *ReadReal(split.substr(colon + 1))});
  }
  dataset = dataset.Repeat(arguments.repeat);
  if (!arguments.tokenizer.path.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::shared_ptr<const Tokenizer> tokenizer,
                              arguments.tokenizer.Load());
    dataset = dataset.Tokenize(
        tokenizer,
        {.to = arguments.by, .encode = {.special_text = SpecialText::kAsText}});
  }
  dataset = arguments.objective.Apply(dataset, arguments.by);
  if (arguments.pack.length > 0) {
    PackOptions pack = arguments.pack;
    pack.by = arguments.by;
    pack.too_long = arguments.too_long;
    pack.pad_value = arguments.pad_value;
    dataset = dataset.Pack(std::move(pack));
  } else if (arguments.multiple_of > 0) {
    dataset = dataset.Pad({.by = arguments.by,
                           .multiple_of = arguments.multiple_of,
                           .max_length = arguments.max_length,
                           .too_long = arguments.too_long,
                           .pad_value = arguments.pad_value});
  } else {
    dataset = dataset.Bucket({.by = arguments.by,
                              .lengths = arguments.buckets,
                              .too_long = arguments.too_long,
                              .pad_value = arguments.pad_value,
                              .with = BucketsWith(arguments),
                              .rows = arguments.bucket_rows,
                              .merge_leftovers = arguments.merge_leftovers,
                              .shapes = arguments.shapes});
  }
  BatchOptions batch = arguments.batch;
  if (!arguments.bucket_rows.empty()) batch.size = 0;
  if (arguments.balance) {
    PENSTOCK_ASSIGN_OR_RETURN(const Topology topology,
                              TopologyOf(arguments.simulation, /*host=*/0));
    batch.balance.parts = int64_t{topology.shards} * arguments.micro_batches;
  }
  return dataset.Batch(batch);
}

}  // namespace penstock
