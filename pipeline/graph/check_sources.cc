// From records to the features of rows, source by source.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/files/status.h"
#include "pipeline/graph/check_stages.h"
#include "pipeline/graph/feature_form.h"
#include "pipeline/graph/row_ops.h"
#include "pipeline/graph/tensors.h"
#include "pipeline/graph/zip.h"

namespace penstock {
namespace {

Status Refused(std::string message) {
  return InvalidArgumentError(std::move(message));
}

// Replaces the bytes feature that Tokenize reads by the one it makes.
Status ApplyTokenize(SourceStages& source) {
  const TokenizeOptions& options = source.tokenize->options;
  const Feature* from = FindFeature(source.batched, options.from);
  if (from == nullptr) {
    return Refused(fmt::format("Tokenize reads \"{}\", but the features are {}",
                               options.from, FeatureNames(source.batched)));
  }
  if (from->type != FeatureType::kBytes || from->length != 1 ||
      !from->shape.empty()) {
    return Refused(
        fmt::format("Tokenize reads \"{}\", which must be a bytes "
                    "feature of length 1",
                    options.from));
  }
  if (options.to.empty())
    return Refused("Tokenize to a feature without a name");
  for (size_t i = 0; i < source.batched.size(); ++i) {
    Feature& feature = source.batched[i];
    if (feature.name == options.from) {
      feature = TokenizedFeature(options);
      source.origins[i] = {};
    } else if (feature.name == options.to) {
      return Refused(
          fmt::format("Tokenize makes \"{}\", which is already a "
                      "feature of the records",
                      options.to));
    }
  }
  return OkStatus();
}

// Without Parse.
void NameFeaturesOf(const std::string& by, SourceStages& source) {
  if (source.read.megatron) {
    source.features = {{.name = "tokens"}};
    return;
  }
  if (!source.read.examples) {
    source.features = {
        {.name = "text", .type = FeatureType::kBytes, .length = 1}};
    return;
  }
  if (source.tokenize) {
    source.features.push_back({.name = source.tokenize->options.from,
                               .type = FeatureType::kBytes,
                               .length = 1});
    if (source.tokenize->options.to == by) return;
  }
  if (!by.empty()) source.features.push_back({.name = by});
}

std::string DescribeFeature(const Feature& feature) {
  return fmt::format("{}{} with {} values", feature.optional ? "optional " : "",
                     ElementTypeName(TypeInBatch(feature)),
                     feature.length == Feature::kVarying
                         ? "any number of"
                         : std::to_string(feature.length));
}

// Brings the features of source `s` into the order of those of the first.
Status Agree(Stages& stages, size_t s) {
  const SourceStages& first = stages.sources.front();
  SourceStages& source = stages.sources[s];
  const auto lacks = [&](size_t has, size_t without, const Feature& feature) {
    return Refused(fmt::format(
        "{} has a feature \"{}\", which {} has not: "
        "rows of both go into the same batches",
        SourceName(stages, has), feature.name, SourceName(stages, without)));
  };
  for (const Feature& feature : source.batched) {
    if (FindFeature(first.batched, feature.name) == nullptr) {
      return lacks(s, 0, feature);
    }
  }
  for (size_t i = 0; i < first.batched.size(); ++i) {
    const Feature& wanted = first.batched[i];
    const auto found =
        std::ranges::find(source.batched, wanted.name, &Feature::name);
    if (found == source.batched.end()) return lacks(0, s, wanted);
    if (DescribeFeature(*found) != DescribeFeature(wanted)) {
      return Refused(fmt::format("feature \"{}\" is {} in {}, but {} in {}",
                                 wanted.name, DescribeFeature(wanted),
                                 SourceName(stages, 0), DescribeFeature(*found),
                                 SourceName(stages, s)));
    }
    const auto from = static_cast<size_t>(found - source.batched.begin());
    if (from == i) continue;
    if (!source.row_ops.empty() || !source.sides.empty()) {
      // Their columns come in the order that the operations give them.
      SelectStage select;
      for (const Feature& one : first.batched) select.names.push_back(one.name);
      source.row_ops.push_back(select);
      return ApplyRowOp(source.row_ops.back(), source);
    }
    std::swap(source.batched[i], source.batched[from]);
    std::swap(source.features[i], source.features[from]);
    std::swap(source.origins[i], source.origins[from]);
  }
  return OkStatus();
}

// From the features that are read to those that reach a batch.
Status ApplyOps(SourceStages& source) {
  for (size_t op = 0; op <= source.row_ops.size(); ++op) {
    const size_t tokenize_at =
        source.tokenize ? source.ops_before_tokenize : SIZE_MAX;
    if (op == tokenize_at) PENSTOCK_RETURN_IF_ERROR(ApplyTokenize(source));
    if (op < source.row_ops.size()) {
      PENSTOCK_RETURN_IF_ERROR(ApplyRowOp(source.row_ops[op], source));
    }
  }
  return OkStatus();
}

// Sets what reaches a batch.
Status TakeFeatures(const std::string& name, SourceStages& source) {
  for (size_t side = 0; side < source.sides.size(); ++side) {
    PENSTOCK_RETURN_IF_ERROR(TakeFeatures(
        fmt::format("dataset {} of {}", side, name), source.sides[side]));
  }
  if (source.sides.empty() && source.features.empty()) {
    return Refused(fmt::format(
        "no stage names a feature to read of {}: add .Parse({{...}})", name));
  }
  for (Feature& feature : source.features) {
    PENSTOCK_RETURN_IF_ERROR(CheckFeature(feature));
    SetLength(feature);
    source.origins.push_back({.name = feature.name});
  }
  source.batched = source.features;
  if (!source.sides.empty()) PENSTOCK_RETURN_IF_ERROR(JoinFeatures(source));
  return ApplyOps(source);
}

}  // namespace

std::string SourceName(const Stages& stages, size_t source) {
  return fmt::format("source {} ({})", source,
                     NameOfRead(stages.sources[source]));
}

void NameFeatures(Stages& stages) {
  for (SourceStages& source : stages.sources) {
    for (SourceStages& side : source.sides) {
      if (side.features.empty()) NameFeaturesOf("", side);
    }
    if (source.features.empty() && source.sides.empty()) {
      NameFeaturesOf(stages.by(), source);
    }
  }
}

Status CheckSources(Stages& stages) {
  for (size_t s = 0; s < stages.sources.size(); ++s) {
    PENSTOCK_RETURN_IF_ERROR(
        TakeFeatures(SourceName(stages, s), stages.sources[s]));
    if (s > 0) PENSTOCK_RETURN_IF_ERROR(Agree(stages, s));
  }
  stages.batched = stages.sources.front().batched;
  return OkStatus();
}

}  // namespace penstock
