#include "tools/recordtool/example_json.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/escaping.h"
#include "formats/example/example.pb.h"
#include "formats/example/row_summary.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

StatusOr<wire::Example> ParseExample(std::string_view record) {
  wire::Example example;
  if (record.size() > std::numeric_limits<int>::max() ||
      !example.ParseFromArray(record.data(), static_cast<int>(record.size()))) {
    // protobuf tells no more than that; where it goes wrong, ours does.
    PENSTOCK_RETURN_IF_ERROR(RowSummarizer().Summarize(record).status());
    return InvalidArgumentError("the record is no tf.train.Example");
  }
  return example;
}

Json BytesToJson(const std::string& bytes) {
  if (simdjson::validate_utf8(bytes)) return bytes;
  return {{"base64", absl::Base64Escape(bytes)}};
}

// JSON has no such numbers. The words are those of protobuf's JSON; the object
// tells them from bytes.
Json FloatToJson(float value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return {{"float", "NaN"}};
  return {{"float", value < 0 ? "-Infinity" : "Infinity"}};
}

std::vector<const std::string*> SortedNames(const wire::Features& features) {
  std::vector<const std::string*> names;
  for (const auto& entry : features.feature()) {
    names.push_back(&entry.first);
  }
  std::sort(names.begin(), names.end(),
            [](const auto* a, const auto* b) { return *a < *b; });
  return names;
}

Json ValuesToJson(const wire::Feature& feature) {
  Json values = Json::array();
  for (const std::string& value : feature.bytes_list().value()) {
    values.push_back(BytesToJson(value));
  }
  for (const float value : feature.float_list().value()) {
    values.push_back(FloatToJson(value));
  }
  for (const int64_t value : feature.int64_list().value()) {
    values.push_back(value);
  }
  return values;
}

Json FeaturesToJson(const wire::Features& features) {
  Json json = Json::object();
  for (const std::string* name : SortedNames(features)) {
    json[*name] = ValuesToJson(features.feature().at(*name));
  }
  return json;
}

}  // namespace

StatusOr<std::string> ExampleToJson(std::string_view record) {
  PENSTOCK_ASSIGN_OR_RETURN(const wire::Example example, ParseExample(record));
  return FeaturesToJson(example.features()).dump();
}

StatusOr<std::string> SequenceExampleToJson(std::string_view record) {
  wire::SequenceExample example;
  if (record.size() > std::numeric_limits<int>::max() ||
      !example.ParseFromArray(record.data(), static_cast<int>(record.size()))) {
    return InvalidArgumentError("the record is no tf.train.SequenceExample");
  }
  const auto& lists = example.feature_lists().feature_list();
  nlohmann::json sorted = nlohmann::json::object();  // by name
  for (const auto& [name, list] : lists) {
    Json steps = Json::array();
    for (const wire::Feature& step : list.feature()) {
      steps.push_back(ValuesToJson(step));
    }
    sorted[name] = std::move(steps);
  }
  const Json json = {{"context", FeaturesToJson(example.context())},
                     {"feature_lists", std::move(sorted)}};
  return json.dump();
}

StatusOr<std::string> ExampleToText(std::string_view record, uint64_t values) {
  PENSTOCK_ASSIGN_OR_RETURN(const wire::Example example, ParseExample(record));
  std::string text;
  const auto add = [&](const std::string& name, const char* type,
                       const auto& list, const auto& show) {
    text += fmt::format("  {} {}[{}]", name, type, list.size());
    uint64_t shown = 0;
    for (const auto& value : list) {
      if (shown == values) {
        text += " ...";
        break;
      }
      text += fmt::format("{} {}", shown++ == 0 ? ":" : ",", show(value));
    }
    text += "\n";
  };
  for (const std::string* name : SortedNames(example.features())) {
    const wire::Feature& feature = example.features().feature().at(*name);
    const std::string quoted = Json(*name).dump();
    if (feature.has_bytes_list()) {
      add(quoted, "bytes", feature.bytes_list().value(),
          [&](const std::string& value) {
            const std::string part = value.substr(0, 10 * values);
            return fmt::format(
                "\"{}\"{}", absl::Utf8SafeCEscape(part),
                part.size() < value.size()
                    ? fmt::format(" ... of {} bytes", value.size())
                    : "");
          });
    } else if (feature.has_float_list()) {
      add(quoted, "float", feature.float_list().value(),
          [](float value) { return fmt::format("{}", value); });
    } else if (feature.has_int64_list()) {
      add(quoted, "int64", feature.int64_list().value(),
          [](int64_t value) { return fmt::format("{}", value); });
    } else {
      text += fmt::format("  {} without a kind\n", quoted);
    }
  }
  return text;
}

Status SummarizeExample(std::string_view record,
                        std::map<std::string, FeatureSummary>& summaries) {
  PENSTOCK_ASSIGN_OR_RETURN(const wire::Example example, ParseExample(record));
  for (const std::string* name : SortedNames(example.features())) {
    const wire::Feature& feature = example.features().feature().at(*name);
    std::string type = "unset";
    uint64_t values = 0;
    uint64_t bytes = 0;
    switch (feature.kind_case()) {
      case wire::Feature::kBytesList:
        type = "bytes";
        values = feature.bytes_list().value_size();
        for (const std::string& value : feature.bytes_list().value()) {
          bytes += value.size();
        }
        break;
      case wire::Feature::kFloatList:
        type = "float";
        values = feature.float_list().value_size();
        break;
      case wire::Feature::kInt64List:
        type = "int64";
        values = feature.int64_list().value_size();
        break;
      case wire::Feature::KIND_NOT_SET:
        break;
    }
    FeatureSummary& summary = summaries[*name];
    if (summary.rows == 0) {
      summary.type = type;
      summary.min_values = values;
    } else if (summary.type != type) {
      summary.type = "mixed";
    }
    ++summary.rows;
    summary.values += values;
    summary.min_values = std::min(summary.min_values, values);
    summary.max_values = std::max(summary.max_values, values);
    summary.bytes += bytes;
  }
  return OkStatus();
}

}  // namespace penstock
