#include "pipeline/graph/zip.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace penstock {
namespace {

// What may not stand inside Zip, by name; null for what may.
class Unzippable {
 public:
  const char* operator()(const ReadStage&) const { return nullptr; }
  const char* operator()(const SliceOptions&) const { return nullptr; }
  const char* operator()(const ParseStage&) const { return nullptr; }
  const char* operator()(const TokenizeStage&) const { return nullptr; }
  const char* operator()(const RowOp& op) const {
    if (std::holds_alternative<FlatMapStage>(op)) return "FlatMap";
    return std::holds_alternative<FilterStage>(op) ? "Filter" : nullptr;
  }
  const char* operator()(const ZipStage&) const { return "Zip"; }
  const char* operator()(const MixStage&) const { return "Mix"; }
  const char* operator()(const ConcatStage&) const { return "Concat"; }
  const char* operator()(const SplitOptions&) const { return "Split"; }
  const char* operator()(const ExcludeStage&) const { return "Exclude"; }
  const char* operator()(const WithdrawStage&) const { return "Withdraw"; }
  const char* operator()(const ShuffleOptions&) const { return "Shuffle"; }
  const char* operator()(const RepeatOptions&) const { return "Repeat"; }
  const char* operator()(const DeriveStage&) const { return "Derive"; }
  const char* operator()(const ObjectiveStage&) const { return "Objective"; }
  const char* operator()(const BucketOptions&) const { return "Bucket"; }
  const char* operator()(const PadOptions&) const { return "Pad"; }
  const char* operator()(const PackOptions&) const { return "Pack"; }
  const char* operator()(const BatchOptions&) const { return "Batch"; }
};

Status NotInZip(const Stage& stage, std::string_view name) {
  if (std::holds_alternative<ZipStage>(stage)) {
    return InvalidArgumentError(
        "Zip inside Zip: give all datasets to one of them");
  }
  if (std::holds_alternative<MixStage>(stage) ||
      std::holds_alternative<ConcatStage>(stage)) {
    return InvalidArgumentError(
        fmt::format("a dataset inside Zip is made by {0}: zip what it is made "
                    "of, and {0} the zips",
                    name));
  }
  return InvalidArgumentError(fmt::format(
      "a dataset inside Zip has {}: record i of a zip is record i of each, in "
      "the order of their files; put it after Zip",
      name));
}

uint64_t PlusUpTo(uint64_t a, uint64_t b, uint64_t most) {
  return a > most || b > most - a ? most : a + b;
}

}  // namespace

std::string NameOfRead(const SourceStages& source) {
  const std::string_view pattern = source.read.pattern;
  return std::string(pattern.substr(pattern.rfind('/') + 1));
}

StatusOr<SliceOptions> PartInZip(const Node& node) {
  SliceOptions part;
  if (const char* const name = std::visit(Unzippable(), node.stage)) {
    return NotInZip(node.stage, name);
  }
  if (node.parents.empty()) return part;
  PENSTOCK_ASSIGN_OR_RETURN(part, PartInZip(*node.parents.front()));
  if (const auto* const slice = std::get_if<SliceOptions>(&node.stage)) {
    // A part of that part.
    const uint64_t first = part.begin;
    part.begin = PlusUpTo(first, slice->begin, part.end);
    part.end = PlusUpTo(first, slice->end, part.end);
  }
  return part;
}

StatusOr<SourceStages> ZipOf(std::vector<SourceStages> sides) {
  if (sides.size() < 2) {
    return InvalidArgumentError(
        fmt::format("Zip of {} datasets: give two or more", sides.size()));
  }
  SourceStages zip;
  for (const SourceStages& side : sides) {
    zip.read.pattern +=
        (zip.read.pattern.empty() ? "" : " + ") + NameOfRead(side);
  }
  zip.read.examples = true;
  zip.sides = std::move(sides);
  return zip;
}

Status JoinFeatures(SourceStages& zip) {
  zip.batched.clear();
  zip.origins.clear();
  for (size_t s = 0; s < zip.sides.size(); ++s) {
    const SourceStages& side = zip.sides[s];
    for (size_t i = 0; i < side.batched.size(); ++i) {
      const Feature& feature = side.batched[i];
      const auto found =
          std::ranges::find(zip.batched, feature.name, &Feature::name);
      if (found != zip.batched.end()) {
        const auto at = static_cast<size_t>(found - zip.batched.begin());
        return InvalidArgumentError(fmt::format(
            "datasets {} ({}) and {} ({}) of a Zip both have a feature \"{}\": "
            "Rename it in one of them, or leave it out with Select",
            zip.origins[at].side, NameOfRead(zip.sides[zip.origins[at].side]),
            s, NameOfRead(side), feature.name));
      }
      zip.batched.push_back(feature);
      zip.origins.push_back({s, side.origins[i].name});
    }
  }
  return OkStatus();
}

Status CheckZipped(const std::string& name, const OpenOptions& options) {
  if (options.recovery.on_corruption == OnCorruption::kFail &&
      !options.on_bad_part) {
    return OkStatus();
  }
  return InvalidArgumentError(fmt::format(
      "Zip of {}, of which what is damaged is to be left out (on_corruption, "
      "on_bad_part): records behind it would stand beside others; let damage "
      "end the run, or write the files again without it",
      name));
}

Status OtherNumbers(const std::string& one, uint64_t records,
                    const std::string& other, uint64_t other_records) {
  return InvalidArgumentError(fmt::format(
      "Zip: {} has {} records and {} has {}, but record i of one goes with "
      "record i of the other: cut the longer one, before Zip, with .Take({})",
      one, records, other, other_records, std::min(records, other_records)));
}

Status NoRecordsToZip(const std::string& name) {
  return InvalidArgumentError(fmt::format(
      "{} gives no records to Zip after Take, Skip or Slice", name));
}

SliceOptions PartOf(const SliceOptions& part, uint64_t records) {
  const uint64_t end = std::min(part.end, records);
  return {.begin = std::min(part.begin, end), .end = end};
}

}  // namespace penstock
