#include "tests/formats/example/sequence_oracle.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "formats/example/example.pb.h"
#include "formats/example/sequence_parser.h"

namespace penstock::testing {
namespace {

using Kind = wire::Feature::KindCase;

Status ParseSequenceTwice(const std::vector<FeatureSpec>& context,
                          const std::vector<FeatureSpec>& lists,
                          std::string_view record, ExampleMode mode,
                          SequenceExamples& out) {
  const auto parser = SequenceParser::Create(context, lists, {.mode = mode});
  if (!parser.ok()) return parser.status();
  return parser->Parse(
      std::vector{record, record}, [](size_t) { return "r"; }, out);
}

FeatureType TypeOf(Kind kind) {
  return kind == Kind::kBytesList   ? FeatureType::kBytes
         : kind == Kind::kFloatList ? FeatureType::kFloat
                                    : FeatureType::kInt64;
}

// The one kind that the steps have, or none where they have several.
std::optional<FeatureType> TypeOf(const wire::FeatureList& list) {
  std::optional<FeatureType> type;
  for (const wire::Feature& step : list.feature()) {
    if (step.kind_case() == Kind::KIND_NOT_SET) continue;
    if (type && *type != TypeOf(step.kind_case())) return std::nullopt;
    type = TypeOf(step.kind_case());
  }
  return type.value_or(FeatureType::kInt64);
}

// Whether values [begin, end) of the column are those of the feature.
bool SameStep(const wire::Feature& feature, const Column& column,
              uint64_t begin, uint64_t end) {
  const auto& ints = feature.int64_list().value();
  const auto& floats = feature.float_list().value();
  const auto& bytes = feature.bytes_list().value();
  switch (column.type) {
    case FeatureType::kInt64:
      return std::equal(column.ints.begin() + begin, column.ints.begin() + end,
                        ints.begin(), ints.end());
    case FeatureType::kFloat:
      return end - begin == size_t(floats.size()) &&
             (floats.empty() ||
              std::memcmp(column.floats.data() + begin, floats.data(),
                          4 * floats.size()) == 0);
    case FeatureType::kBytes:
      if (end - begin != size_t(bytes.size())) return false;
      for (int v = 0; v < bytes.size(); ++v) {
        if (column.bytes_at(begin + v) != bytes[v]) return false;
      }
      return true;
  }
  return false;
}

bool SameSteps(const wire::FeatureList& list, const Column& column,
               size_t row) {
  const uint64_t begin = column.row_steps[row];
  if (column.row_steps[row + 1] - begin != size_t(list.feature_size())) {
    return false;
  }
  for (int s = 0; s < list.feature_size(); ++s) {
    if (!SameStep(list.feature(s), column, column.step_offsets[begin + s],
                  column.step_offsets[begin + s + 1])) {
      return false;
    }
  }
  return true;
}

std::string Refused(std::string_view record) {
  for (const ExampleMode mode : {ExampleMode::kLax, ExampleMode::kStrict}) {
    for (int type = 0; type < 3; ++type) {
      std::vector<FeatureSpec> specs;
      for (const char* name : {"a", "b", "c"}) {
        specs.push_back({.name = name,
                         .type = static_cast<FeatureType>(type),
                         .optional = true});
      }
      SequenceExamples out;
      const Status status = ParseSequenceTwice(specs, specs, record, mode, out);
      if (!IsDataLoss(status)) {
        return "protobuf refuses it, we say " + status.ToString();
      }
      if (out.context.rows + out.lists.rows != 0) return "a row is left";
    }
  }
  return "";
}

}  // namespace

std::string SequenceDisagreement(std::string_view record) {
  static const google::protobuf::LogSilencer silence;
  wire::SequenceExample message;
  if (!message.ParseFromArray(record.data(), static_cast<int>(record.size()))) {
    return Refused(record);
  }
  std::vector<FeatureSpec> context = {{.name = "nobody", .optional = true}};
  std::vector<FeatureSpec> lists = context;
  for (const auto& [name, feature] : message.context().feature()) {
    context.push_back(
        {.name = name, .type = TypeOf(feature.kind_case()), .optional = true});
  }
  for (const auto& [name, list] : message.feature_lists().feature_list()) {
    const std::optional<FeatureType> type = TypeOf(list);
    if (type) lists.push_back({.name = name, .type = *type});
  }
  SequenceExamples out;
  const Status status =
      ParseSequenceTwice(context, lists, record, ExampleMode::kLax, out);
  if (!status.ok()) return "protobuf takes it, we say " + status.ToString();
  if (out.context.rows != 2 || out.lists.rows != 2) return "rows are missing";
  for (const auto& [name, feature] : message.context().feature()) {
    const Column& column = *out.context.Find(name);
    for (size_t row = 0; row < 2; ++row) {
      if (!SameStep(feature, column, column.row_offsets[row],
                    column.row_offsets[row + 1])) {
        return "values of feature '" + name + "' differ";
      }
    }
  }
  for (const auto& [name, list] : message.feature_lists().feature_list()) {
    const Column* column = out.lists.Find(name);
    for (size_t row = 0; column != nullptr && row < 2; ++row) {
      if (!SameSteps(list, *column, row)) {
        return "steps of list '" + name + "' differ";
      }
    }
  }
  return "";
}

}  // namespace penstock::testing
