#include "pipeline/graph/check_stages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <set>
#include <utility>

#include "formats/files/status.h"
#include "pipeline/graph/check_arranging.h"
#include "pipeline/graph/feature_form.h"

namespace penstock {
namespace {

Status Wrong(std::string message) {
  return InvalidArgumentError(std::move(message));
}

Status CheckBalance(const Stages& stages) {
  const BalanceOptions& balance = stages.batch.balance;
  if (balance.parts == 0) return OkStatus();
  if (!stages.pack) {
    return InvalidArgumentError(
        "balance without Pack: rows of one record have the length of their "
        "batch, so all cost the same");
  }
  if (balance.parts < 0 || stages.batch.size % balance.parts != 0) {
    return InvalidArgumentError(fmt::format(
        "balance of {} parts: give a divisor of the {} rows of a batch",
        balance.parts, stages.batch.size));
  }
  if (balance.linear >= 0 && balance.quadratic >= 0 &&
      std::isfinite(balance.linear) && std::isfinite(balance.quadratic)) {
    return OkStatus();
  }
  return InvalidArgumentError(
      fmt::format("balance with costs {} and {}: give none below 0",
                  balance.linear, balance.quadratic));
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
