// A decoder made from the stages of its source.
#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "formats/files/status_or.h"
#include "pipeline/build/decode.h"
#include "pipeline/graph/tensors.h"
#include "pipeline/order/seed.h"

namespace penstock {
namespace {

constexpr uint64_t kAnyNumber = std::numeric_limits<uint64_t>::max();

constexpr size_t kMostNarrowIds = size_t{1} << 31;

// Of one value as it is decoded.
uint64_t ValueBytes(const Feature& feature) {
  if (feature.type == FeatureType::kFloat) return 4;
  if (feature.type == FeatureType::kInt64) return 8;
  uint64_t bytes = SizeBytes(TypeInBatch(feature)) + 8;
  for (const int64_t size : feature.shape) bytes *= static_cast<uint64_t>(size);
  return bytes;
}

// Whether what looks at values in their columns wants wide ones.
bool LooksAtColumns(const Stages& stages) {
  return std::ranges::any_of(stages.sources,
                             [](const SourceStages& source) {
                               return !source.row_ops.empty() ||
                                      !source.sides.empty();
                             }) ||
         (stages.objective &&
          std::holds_alternative<SpanCorruption>(*stages.objective));
}

bool IsNarrow(const Stages& stages, const Feature& feature) {
  return feature.type == FeatureType::kInt64 &&
         feature.encoding == FeatureEncoding::kPlain &&
         TypeInBatch(feature) == ElementType::kInt32 && !LooksAtColumns(stages);
}

}  // namespace

StatusOr<Decoder> Decoder::Create(const Stages& stages,
                                  const SourceStages& source, uint64_t dataset,
                                  std::vector<InMemory> columns) {
  if (source.sides.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(
        Decoder decoder,
        Make(stages, source, stages.batched, dataset, std::move(columns[0])));
    decoder.SetGrid(stages);
    return decoder;
  }
  PENSTOCK_ASSIGN_OR_RETURN(Decoder decoder,
                            Make(stages, source, stages.batched, dataset, {}));
  decoder.SetGrid(stages);
  for (size_t s = 0; s < source.sides.size(); ++s) {
    const SourceStages& side = source.sides[s];
    PENSTOCK_ASSIGN_OR_RETURN(
        Decoder one, Make(stages, side, side.batched, MixKeys({dataset, s}),
                          std::move(columns[s])));
    // Rows are cut when they are put together.
    for (size_t c = 0; c < one.fixed_.size(); ++c) {
      if (!one.fixed_[c]) one.most_values_[c] = kAnyNumber;
    }
    decoder.sides_.push_back(std::move(one));
  }
  return decoder;
}

void Decoder::SetGrid(const Stages& stages) {
  grid_ = stages.grid();
  if (!grid_) return;
  for (const std::string& feature : stages.arranging()) {
    grid_columns_.push_back(FindFeature(stages, feature).value_or(0));
  }
}

StatusOr<Decoder> Decoder::Make(const Stages& stages,
                                const SourceStages& source,
                                const std::vector<Feature>& batched,
                                uint64_t dataset, InMemory columns) {
  Decoder decoder(source, dataset);
  decoder.memory_ = std::move(columns);
  if (decoder.memory_.columns != nullptr) {
    for (const Feature& feature : source.features) {
      decoder.memory_columns_.push_back(
          decoder.memory_.columns->Find(feature.name));
      Column& column = decoder.memory_form_.emplace_back();
      column.name = feature.name;
      column.type = feature.type;
    }
  } else if (source.read.examples && source.sides.empty()) {
    std::vector<FeatureSpec> specs;
    for (const Feature& feature : source.features) {
      specs.push_back(
          {.name = feature.name,
           .type = feature.type,
           .length = feature.length == Feature::kVarying
                         ? FeatureSpec::kAnyLength
                         : feature.length,
           .optional = feature.optional,
           .encoding = feature.encoding,
           // Of those beside a text columns are put together wide.
           .narrow = !source.tokenize && IsNarrow(stages, feature)});
    }
    PENSTOCK_ASSIGN_OR_RETURN(decoder.parser_,
                              ExampleParser::Create(std::move(specs)));
  }
  decoder.tokenize_ = source.tokenize;
  decoder.ops_before_tokenize_ = source.ops_before_tokenize;
  decoder.most_rows_ = source.most_rows;
  for (size_t i = 0; i < batched.size(); ++i) {
    const Feature& feature = batched[i];
    Column& column = decoder.columns_.columns.emplace_back();
    column.name = feature.name;
    column.type = feature.type;
    decoder.fixed_.push_back(feature.length != Feature::kVarying);
    decoder.optional_.push_back(feature.optional);
    if (feature.name == stages.by()) decoder.by_ = i;
    if (source.tokenize && feature.name == source.tokenize->options.to) {
      decoder.narrow_tokens_ =
          IsNarrow(stages, feature) &&
          source.tokenize->tokenizer->vocabulary_size() <= kMostNarrowIds;
    }
    const bool varying = feature.length == Feature::kVarying;
    const auto most = static_cast<uint64_t>(
        varying ? stages.LengthsOf(feature.name).back() + 1 : feature.length);
    decoder.most_values_.push_back(stages.chunks() ? kAnyNumber : most);
    decoder.cuts_left_.push_back(feature.cut_side == Side::kLeft);
    // Columns grow by doubling.
    const uint64_t value_bytes = 2 * ValueBytes(feature);
    decoder.row_bytes_ += 2 * 8;  // of row_offsets
    // What is packed has as many values as the feature that arranges.
    if (feature.name == stages.by() || (stages.pack && varying)) {
      decoder.by_value_bytes_ += value_bytes;
    } else {
      decoder.row_bytes_ += most * value_bytes;
    }
  }
  return decoder;
}

}  // namespace penstock
