#include "formats/example_parser.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "formats/example_walk.h"
#include "formats/feature_names.h"
#include "formats/quoted.h"
#include "formats/status.h"

namespace penstock {
namespace {

constexpr size_t kNamesInMessage = 8;

std::string Describe(FeatureType type, int64_t length) {
  return length == FeatureSpec::kAnyLength
             ? fmt::format("{}[any]", FeatureTypeName(type))
             : fmt::format("{}[{}]", FeatureTypeName(type), length);
}

absl::Status MissingFeature(const FeatureSpec& spec, const FoundFeature& found,
                            std::string_view record) {
  if (found.present) {
    return absl::InvalidArgumentError(
        fmt::format("feature {}: expected {}, found an empty feature",
                    Quoted(spec.name), Describe(spec.type, spec.length)));
  }
  const std::vector<std::string_view> names =
      NamesInExample(record, kNamesInMessage + 1);
  std::string list = names.empty() ? "no features" : "";
  for (size_t i = 0; i < names.size() && i < kNamesInMessage; ++i) {
    list += (i == 0 ? "" : ", ") + Quoted(names[i]);
  }
  if (names.size() > kNamesInMessage) list += " and more";
  return absl::InvalidArgumentError(fmt::format(
      "feature {} is missing; the record has {}", Quoted(spec.name), list));
}

// Whether the row at hand has what `spec` asks for.
absl::Status Check(const FeatureSpec& spec, const FoundFeature& found,
                   std::string_view record) {
  if (!found.type) {
    if (spec.optional) return absl::OkStatus();
    return MissingFeature(spec, found, record);
  }
  if (*found.type == spec.type &&
      (spec.length == FeatureSpec::kAnyLength ||
       found.values == static_cast<uint64_t>(spec.length))) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("feature {}: expected {}, found {}[{}]", Quoted(spec.name),
                  Describe(spec.type, spec.length),
                  FeatureTypeName(*found.type), found.values));
}

absl::Status DefectStatus(const ExampleWalk& walk, std::string_view record) {
  const std::string feature =
      walk.defect_feature()
          ? fmt::format("feature {}: ", Quoted(*walk.defect_feature()))
          : "";
  return absl::DataLossError(fmt::format(
      "{}{} at byte {} of {}; the record is no tf.train.Example", feature,
      walk.defect().what, walk.defect().at - record.data(), record.size()));
}

absl::Status ParseRow(const std::vector<FeatureSpec>& specs,
                      std::string_view record, ExampleWalk& walk) {
  if (record.size() > INT_MAX) {
    return absl::ResourceExhaustedError(
        fmt::format("the record has {} bytes; an Example can have {}",
                    record.size(), INT_MAX));
  }
  if (!walk.Walk(record)) return DefectStatus(walk, record);
  for (size_t i = 0; i < specs.size(); ++i) {
    absl::Status status = Check(specs[i], walk.found()[i], record);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

void EndRow(Column& column) {
  const uint64_t values =
      column.type == FeatureType::kBytes   ? column.byte_offsets.size() - 1
      : column.type == FeatureType::kFloat ? column.floats.size()
                                           : column.ints.size();
  column.row_offsets.push_back(values);
}

bool Follows(const Examples& examples, const std::vector<FeatureSpec>& specs) {
  return std::ranges::equal(
      examples.columns, specs, [](const Column& column, const FeatureSpec& s) {
        return column.name == s.name && column.type == s.type;
      });
}

}  // namespace

ExampleParser::ExampleParser(std::vector<FeatureSpec> specs)
    : specs_(std::move(specs)) {
  std::vector<std::string> names;
  for (const FeatureSpec& spec : specs_) names.push_back(spec.name);
  names_ = std::make_shared<const FeatureNames>(std::move(names));
}

absl::StatusOr<ExampleParser> ExampleParser::Create(
    std::vector<FeatureSpec> specs) {
  if (specs.empty()) {
    return absl::InvalidArgumentError("no feature is asked for");
  }
  std::vector<std::string_view> names;
  for (const FeatureSpec& spec : specs) {
    names.push_back(spec.name);
    if (!simdjson::validate_utf8(spec.name.data(), spec.name.size())) {
      return absl::InvalidArgumentError(
          "the name of a feature asked for is not UTF-8");
    }
    if (spec.length < 0 && spec.length != FeatureSpec::kAnyLength) {
      return absl::InvalidArgumentError(fmt::format(
          "feature {}: length {} is negative", Quoted(spec.name), spec.length));
    }
  }
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) {
    return absl::InvalidArgumentError(
        fmt::format("feature {} is asked for twice", Quoted(*twice)));
  }
  return ExampleParser(std::move(specs));
}

absl::Status ExampleParser::Parse(std::span<const std::string_view> records,
                                  absl::FunctionRef<std::string(size_t)> locate,
                                  Examples& out) const {
  if (!Follows(out, specs_)) {
    if (out.rows > 0) {
      return absl::InvalidArgumentError(
          "the rows there already are of other features");
    }
    out.columns.clear();
    for (const FeatureSpec& spec : specs_) {
      Column& column = out.columns.emplace_back();
      column.name = spec.name;
      column.type = spec.type;
    }
  }
  ExampleWalk walk(*names_, out.columns);
  for (size_t i = 0; i < records.size(); ++i) {
    const absl::Status status = ParseRow(specs_, records[i], walk);
    if (!status.ok()) {
      for (Column& column : out.columns) CutToWholeRows(column);
      return Annotate(status, locate(i));
    }
    for (Column& column : out.columns) EndRow(column);
    ++out.rows;
  }
  return absl::OkStatus();
}

}  // namespace penstock
