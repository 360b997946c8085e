#include "tests/formats/example/example_oracle.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "formats/example/example.pb.h"
#include "formats/example/example_parser.h"

namespace penstock::testing {
namespace {

// `out` holds the record twice: the second time the parser knows its names.
Status ParseTwice(const std::vector<FeatureSpec>& specs,
                  std::string_view record, Examples& out,
                  ExampleMode mode = ExampleMode::kLax) {
  const auto parser = ExampleParser::Create(specs, {.mode = mode});
  if (!parser.ok()) return parser.status();
  return parser->Parse(
      std::vector{record, record}, [](size_t) { return "r"; }, out);
}

// Every name the generator uses, in every type, so that the paths that store
// values meet the defects as well as those that step over them.
std::vector<FeatureSpec> WantedSpecs(int shift) {
  std::vector<FeatureSpec> specs;
  for (int i = 0; i < 3; ++i) {
    specs.push_back({.name = std::string(1, static_cast<char>('a' + i)),
                     .type = static_cast<FeatureType>((i + shift) % 3),
                     .optional = true});
  }
  return specs;
}

std::vector<FeatureSpec> SpecsOf(const wire::Example& message) {
  std::vector<FeatureSpec> specs;
  for (const auto& [name, feature] : message.features().feature()) {
    FeatureSpec spec{.name = name};
    switch (feature.kind_case()) {
      case wire::Feature::kBytesList:
        spec.type = FeatureType::kBytes;
        break;
      case wire::Feature::kFloatList:
        spec.type = FeatureType::kFloat;
        break;
      case wire::Feature::kInt64List:
        break;
      case wire::Feature::KIND_NOT_SET:
        spec.optional = true;
    }
    specs.push_back(spec);
  }
  if (specs.empty()) specs.push_back({.name = "none", .optional = true});
  return specs;
}

bool SameValues(const wire::Feature& feature, const Column& column,
                size_t row) {
  const auto& ints = feature.int64_list().value();
  const auto& floats = feature.float_list().value();
  const auto& bytes = feature.bytes_list().value();
  switch (column.type) {
    case FeatureType::kInt64:
      return std::ranges::equal(column.ints_of(row), ints);
    case FeatureType::kFloat: {  // by bits: a NaN is to stay the NaN it is
      const auto found = column.floats_of(row);
      return found.size() == size_t(floats.size()) &&
             (floats.empty() ||
              std::memcmp(found.data(), floats.data(), 4 * floats.size()) == 0);
    }
    case FeatureType::kBytes:
      if (column.values_in(row) != size_t(bytes.size())) return false;
      for (int v = 0; v < bytes.size(); ++v) {
        if (column.bytes_at(column.row_offsets[row] + v) != bytes[v])
          return false;
      }
      return true;
  }
  return false;
}

// What narrow numbers change in the verdict on a record, or in its values.
std::string NarrowDisagreement(std::vector<FeatureSpec> specs,
                               std::string_view record, const Status& status,
                               const Examples& out) {
  for (FeatureSpec& spec : specs) {
    spec.narrow = spec.type == FeatureType::kInt64;
  }
  Examples narrow;
  if (ParseTwice(specs, record, narrow) != status) return "narrow: a verdict";
  if (narrow.rows != out.rows) return "narrow: rows";
  for (size_t c = 0; c < narrow.columns.size(); ++c) {
    Column& column = narrow.columns[c];
    if (column.narrow) column.Widen();
    if (column.row_offsets != out.columns[c].row_offsets ||
        column.ints != out.columns[c].ints) {
      return "narrow: values of feature '" + column.name + "'";
    }
  }
  return "";
}

// Of a record that protobuf takes.
std::string StrictDisagreement(const std::vector<FeatureSpec>& specs,
                               std::string_view record, const Examples& lax) {
  Examples strict;
  const Status status = ParseTwice(specs, record, strict, ExampleMode::kStrict);
  if (!status.ok()) {
    if (IsDataLoss(status) && strict.rows == 0 &&
        status.message().find("differently") != std::string_view::npos) {
      return "";
    }
    return "strictly we say " + status.ToString();
  }
  for (size_t c = 0; c < lax.columns.size(); ++c) {
    if (lax.columns[c].row_offsets != strict.columns[c].row_offsets ||
        lax.columns[c].ints != strict.columns[c].ints ||
        lax.columns[c].bytes != strict.columns[c].bytes) {
      return "the strict mode has other values";
    }
  }
  return "";
}

}  // namespace

std::string Disagreement(std::string_view record) {
  static const google::protobuf::LogSilencer silence;
  wire::Example message;
  const bool accepted =
      message.ParseFromArray(record.data(), static_cast<int>(record.size()));
  if (!accepted) {
    for (int shift = 0; shift < 3; ++shift) {
      Examples out;
      for (const ExampleMode mode : {ExampleMode::kLax, ExampleMode::kStrict}) {
        const Status status = ParseTwice(WantedSpecs(shift), record, out, mode);
        if (status.code() != StatusCode::kDataLoss) {
          return "protobuf refuses it, we say " + status.ToString();
        }
        if (out.rows != 0) return "a refused record left a row";
        if (mode == ExampleMode::kStrict) continue;
        const std::string narrow =
            NarrowDisagreement(WantedSpecs(shift), record, status, out);
        if (!narrow.empty()) return narrow;
      }
    }
    return "";
  }
  Examples ignored;
  Status status =
      ParseTwice({{.name = "nobody", .optional = true}}, record, ignored);
  if (!status.ok()) return "protobuf takes it, we say " + status.ToString();

  Examples out;
  const std::vector<FeatureSpec> specs = SpecsOf(message);
  status = ParseTwice(specs, record, out);
  if (!status.ok()) return "with its own types we say " + status.ToString();
  for (const Column& column : out.columns) {
    const auto found = message.features().feature().find(column.name);
    const wire::Feature& feature = found == message.features().feature().end()
                                       ? wire::Feature::default_instance()
                                       : found->second;
    if (out.rows != 2 || !SameValues(feature, column, 0) ||
        !SameValues(feature, column, 1)) {
      return "values of feature '" + column.name + "' differ";
    }
  }
  const std::string narrow = NarrowDisagreement(specs, record, status, out);
  return narrow.empty() ? StrictDisagreement(specs, record, out) : narrow;
}

}  // namespace penstock::testing
