#include "tests/formats/example_oracle.h"

#include <google/protobuf/stubs/logging.h>

#include <cstring>
#include <span>
#include <vector>

#include "formats/example.pb.h"
#include "formats/example_parser.h"

namespace penstock::testing {
namespace {

absl::Status ParseOne(const std::vector<FeatureSpec>& specs,
                      std::string_view record, Examples& out) {
  const auto parser = ExampleParser::Create(specs);
  if (!parser.ok()) return parser.status();
  return parser->Parse(
      {&record, 1}, [](size_t) { return "r"; }, out);
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

bool SameValues(const wire::Feature& feature, const Column& column) {
  const auto& ints = feature.int64_list().value();
  const auto& floats = feature.float_list().value();
  const auto& bytes = feature.bytes_list().value();
  const auto rows = column.row_offsets;
  switch (column.type) {
    case FeatureType::kInt64:
      return rows == std::vector<uint64_t>{0, uint64_t(ints.size())} &&
             column.ints == std::vector<int64_t>(ints.begin(), ints.end());
    case FeatureType::kFloat:  // by bits: a NaN is to stay the NaN it is
      return rows == std::vector<uint64_t>{0, uint64_t(floats.size())} &&
             column.floats.size() == size_t(floats.size()) &&
             (floats.empty() || std::memcmp(column.floats.data(), floats.data(),
                                            4 * floats.size()) == 0);
    case FeatureType::kBytes:
      if (rows != std::vector<uint64_t>{0, uint64_t(bytes.size())})
        return false;
      for (int v = 0; v < bytes.size(); ++v) {
        if (column.bytes_at(v) != bytes[v]) return false;
      }
      return column.byte_offsets.size() == size_t(bytes.size()) + 1 &&
             column.byte_offsets.back() == column.bytes.size();
  }
  return false;
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
      const absl::Status status = ParseOne(WantedSpecs(shift), record, out);
      if (status.code() != absl::StatusCode::kDataLoss) {
        return "protobuf refuses it, we say " + status.ToString();
      }
      if (out.rows != 0) return "a refused record left a row";
    }
    return "";
  }
  Examples ignored;
  absl::Status status =
      ParseOne({{.name = "nobody", .optional = true}}, record, ignored);
  if (!status.ok()) return "protobuf takes it, we say " + status.ToString();

  Examples out;
  status = ParseOne(SpecsOf(message), record, out);
  if (!status.ok()) return "with its own types we say " + status.ToString();
  for (const Column& column : out.columns) {
    const auto found = message.features().feature().find(column.name);
    const wire::Feature& feature = found == message.features().feature().end()
                                 ? wire::Feature::default_instance()
                                 : found->second;
    if (!SameValues(feature, column)) {
      return "values of feature '" + column.name + "' differ";
    }
  }
  return "";
}

}  // namespace penstock::testing
