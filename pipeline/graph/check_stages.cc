#include "pipeline/graph/check_stages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <set>
#include <utility>

#include "formats/files/status.h"
#include "pipeline/graph/check_pack.h"
#include "pipeline/graph/feature_form.h"

namespace penstock {
namespace {

// Far more than anyone wants to compile, few enough to list.
constexpr int64_t kMaxShapes = 4096;

// Of lengths that are chosen.
constexpr int64_t kMaxMultiple = int64_t{1} << 24;

Status Wrong(std::string message) {
  return InvalidArgumentError(std::move(message));
}

Status CheckLongest(int64_t length, std::string_view stage) {
  if (length <= std::numeric_limits<int32_t>::max()) return OkStatus();
  return Wrong(
      fmt::format("{} to a length of {}: lengths are int32", stage, length));
}

Status CheckBucketRows(const Stages& stages) {
  const BucketOptions& bucket = *stages.bucket;
  if (bucket.rows.empty()) return OkStatus();
  if (bucket.rows.size() != bucket.lengths.size()) {
    return Wrong(
        fmt::format("Bucket has {} lengths and the rows of {} batches: give "
                    "one number for each length",
                    bucket.lengths.size(), bucket.rows.size()));
  }
  for (const int64_t rows : bucket.rows) {
    if (rows >= 1 && rows <= kMaxRows) continue;
    return Wrong(fmt::format(
        "Bucket with batches of {} rows: give from 1 to {}", rows, kMaxRows));
  }
  if (stages.batch.size != *std::ranges::max_element(bucket.rows)) {
    return Wrong(
        fmt::format("Bucket says how many rows batches have, and Batch, too: "
                    "leave out its size of {}",
                    stages.batch.size));
  }
  return OkStatus();
}

Status CheckLeftovers(const Stages& stages) {
  const BucketOptions& bucket = *stages.bucket;
  const std::vector<Leftover>& each = bucket.leftovers;
  if (!each.empty() && each.size() != bucket.lengths.size()) {
    return Wrong(fmt::format(
        "Bucket has {} lengths and says what happens to the leftovers of {}: "
        "say it for each length, or leave it to Batch",
        bucket.lengths.size(), each.size()));
  }
  if (!each.empty() && stages.batch.leftover != Leftover::kPad) {
    return Wrong(
        "Bucket says what happens to leftovers, and Batch, too: leave out "
        "BatchOptions::leftover");
  }
  const bool pads = each.empty()
                        ? stages.batch.leftover == Leftover::kPad
                        : std::ranges::find(each, Leftover::kPad) != each.end();
  if (bucket.merge_leftovers && !pads) {
    return Wrong(
        "Bucket merges leftovers that pad, but none do: leave out "
        "merge_leftovers");
  }
  return OkStatus();
}

Status CheckBucketLengths(const BucketOptions& bucket) {
  const std::vector<int64_t>& lengths = bucket.lengths;
  if (lengths.empty()) {
    if (bucket.shapes > 0 && bucket.shapes <= kMaxShapes &&
        bucket.multiple_of > 0 && bucket.multiple_of <= kMaxMultiple) {
      return OkStatus();
    }
    return Wrong(fmt::format(
        "Bucket without lengths, with {} shapes of multiples of {}: give from "
        "1 to {} and from 1 to {}",
        bucket.shapes, bucket.multiple_of, kMaxShapes, kMaxMultiple));
  }
  int64_t last = 0;
  for (const int64_t length : lengths) {
    if (length <= last) {
      return Wrong(
          fmt::format("the lengths of buckets must be positive and "
                      "rise; {} do not",
                      fmt::join(lengths, ", ")));
    }
    last = length;
  }
  if (lengths.size() > static_cast<size_t>(kMaxShapes)) {
    return Wrong(
        fmt::format("Bucket with {} lengths makes as many compiles; at most {} "
                    "are allowed",
                    lengths.size(), kMaxShapes));
  }
  return CheckLongest(lengths.back(), "Bucket");
}

Status CheckPad(const PadOptions& pad) {
  if (pad.multiple_of <= 0) {
    return Wrong(fmt::format("Pad to a multiple of {}: give a positive number",
                             pad.multiple_of));
  }
  PENSTOCK_RETURN_IF_ERROR(CheckLongest(pad.max_length, "Pad"));
  if (pad.max_length <= 0 || pad.max_length % pad.multiple_of != 0) {
    return Wrong(fmt::format("Pad needs max_length, a multiple of {}; it is {}",
                             pad.multiple_of, pad.max_length));
  }
  if (pad.max_length / pad.multiple_of > kMaxShapes) {
    return Wrong(
        fmt::format("Pad to multiples of {} up to {} makes {} shapes, "
                    "and a compile for each; at most {} are allowed",
                    pad.multiple_of, pad.max_length,
                    pad.max_length / pad.multiple_of, kMaxShapes));
  }
  return OkStatus();
}

}  // namespace

std::string LengthsName(const std::string& feature) {
  return feature + "_lengths";
}

std::string PresenceName(const std::string& feature) {
  return feature + "_present";
}

Feature TokenizedFeature(const TokenizeOptions& options) {
  return {.name = options.to,
          .type = FeatureType::kInt64,
          .as = options.as,
          .pad_side = options.pad_side,
          .cut_side = options.cut_side};
}

const Feature* FindFeature(const std::vector<Feature>& features,
                           const std::string& name) {
  for (const Feature& feature : features) {
    if (feature.name == name) return &feature;
  }
  return nullptr;
}

std::string FeatureNames(const std::vector<Feature>& features) {
  std::vector<std::string> names;
  for (const Feature& feature : features) names.push_back(feature.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Status CheckFeature(const Feature& feature) {
  if (feature.name.empty()) return Wrong("a feature without a name");
  if (feature.length != Feature::kVarying && feature.length < 1) {
    return Wrong(
        fmt::format("feature \"{}\" has length {}: give a positive "
                    "length or Feature::kVarying",
                    feature.name, feature.length));
  }
  return CheckForm(feature);
}

Status CheckFeatures(const Stages& stages) {
  std::set<std::string> names = {kRowMaskName};
  for (const Feature& feature : stages.batched) {
    if (feature.type == FeatureType::kBytes && feature.shape.empty()) {
      return Wrong(
          fmt::format("feature \"{}\" is bytes, which no batch can "
                      "hold: tokenize it, leave it out of Parse or, where all "
                      "have one size, give its shape",
                      feature.name));
    }
    const bool varying = feature.length == Feature::kVarying;
    // The tensor that goes with it, if any.
    const std::string second = varying            ? LengthsName(feature.name)
                               : feature.optional ? PresenceName(feature.name)
                                                  : "";
    if (!names.insert(feature.name).second ||
        (!second.empty() && !names.insert(second).second)) {
      return Wrong(fmt::format("two tensors would be called \"{}\" or \"{}\"",
                               feature.name,
                               second.empty() ? feature.name : second));
    }
    if (!varying && stages.pack) {
      return Wrong(fmt::format(
          "feature \"{}\" has {} values in each record, and Pack puts several "
          "records into a row: leave it out of Parse",
          feature.name, feature.length));
    }
    if (varying && !stages.bucket && !stages.pad && !stages.pack) {
      return Wrong(
          fmt::format("feature \"{}\" has any number of values, so "
                      "batches would have any shape: add Bucket, "
                      "Pad or Pack before Batch, or give its length",
                      feature.name));
    }
  }
  return OkStatus();
}

Status CheckArranging(const Stages& stages) {
  if (!stages.bucket && !stages.pad && !stages.pack) return OkStatus();
  const std::string stage =
      stages.bucket ? "Bucket" : (stages.pad ? "Pad" : "Pack");
  const Feature* by = FindFeature(stages.batched, stages.by());
  if (by == nullptr) {
    return Wrong(fmt::format("{} by \"{}\", but the features are {}", stage,
                             stages.by(), FeatureNames(stages.batched)));
  }
  if (by->length != Feature::kVarying) {
    return Wrong(
        fmt::format("{} by \"{}\", which always has {} values: leave "
                    "{} out",
                    stage, by->name, by->length, stage));
  }
  if (stages.bucket) {
    PENSTOCK_RETURN_IF_ERROR(CheckBucketLengths(*stages.bucket));
    PENSTOCK_RETURN_IF_ERROR(CheckLeftovers(stages));
    PENSTOCK_RETURN_IF_ERROR(CheckBucketRows(stages));
  } else if (stages.pad) {
    PENSTOCK_RETURN_IF_ERROR(CheckPad(*stages.pad));
  } else {
    PENSTOCK_RETURN_IF_ERROR(CheckPack(stages));
  }
  return OkStatus();
}

Status CheckBatch(const Stages& stages) {
  const int64_t size = stages.batch.size;
  if (size < 1 || size > kMaxRows) {
    return Wrong(fmt::format(
        "a batch of {} rows: give Batch a size from 1 to {}", size, kMaxRows));
  }
  return CheckBalance(stages);
}

const char* OfAllHosts(const Stages& stages) {
  if (stages.batch.balance.parts > 0) return "BatchOptions::balance";
  if (!stages.withdrawn.empty()) return "Withdraw";
  if (stages.batch.leftover == Leftover::kCarry) return "Leftover::kCarry";
  if (!stages.leftovers().empty()) return "BucketOptions::leftovers";
  if (stages.bucket && stages.bucket->merge_leftovers) {
    return "BucketOptions::merge_leftovers";
  }
  if (stages.pack && stages.pack->kind == PackKind::kMegatron) {
    return "PackKind::kMegatron";
  }
  return nullptr;
}

}  // namespace penstock
