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
#include "formats/open.h"
#include "tokenizer/interface/tokenizer.h"
#include "tools/arguments/numbers.h"

namespace penstock {
namespace {

StatusOr<FeatureEncoding> EncodingOf(const SimulationArguments& arguments,
                                     const std::string& pattern) {
  if (arguments.encoding) return *arguments.encoding;
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                            ExpandPattern(LocalFiles(), pattern));
  PENSTOCK_ASSIGN_OR_RETURN(const std::optional<Manifest> manifest,
                            LoadManifestBeside(LocalFiles(), paths[0]));
  const ManifestFeature* feature =
      manifest ? manifest->Find(arguments.by) : nullptr;
  return feature == nullptr ? FeatureEncoding::kPlain : feature->encoding;
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
  if (!arguments.corpus && arguments.tokenizer.path.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(const FeatureEncoding encoding,
                              EncodingOf(arguments, pattern));
    dataset = dataset.Parse({{.name = arguments.by, .encoding = encoding}});
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
                              .rows = arguments.bucket_rows,
                              .merge_leftovers = arguments.merge_leftovers,
                              .shapes = arguments.shapes});
  }
  BatchOptions batch = arguments.batch;
  if (!arguments.bucket_rows.empty()) batch.size = 0;
  if (arguments.balance) {
    batch.balance.parts = arguments.devices.cores * arguments.micro_batches;
  }
  return dataset.Batch(batch);
}

}  // namespace penstock
