#include "tools/recordtool/json_examples.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "absl/strings/escaping.h"
#include "formats/example/example_writer.h"
#include "formats/example/sequence_writer.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

using JsonValue = nlohmann::json;

Status Refuse(std::string_view name, std::string_view what) {
  return InvalidArgumentError(fmt::format("feature \"{}\": {}", name, what));
}

bool IsFloatWord(const JsonValue& value) {
  return value.is_object() && value.contains("float");
}

// "text", or {"base64": "dGV4dA=="}.
StatusOr<std::string> BytesOf(std::string_view name, const JsonValue& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string bytes;
  if (value.is_object() && value.size() == 1 && value.contains("base64") &&
      value["base64"].is_string() &&
      absl::Base64Unescape(value["base64"].get<std::string>(), &bytes)) {
    return bytes;
  }
  return Refuse(name, value.is_object()
                          ? "found an object that is neither {\"base64\": "
                            "\"...\"} nor {\"float\": \"NaN\"}"
                          : "found bytes and numbers in one list");
}

// A number, or {"float": "NaN"}, "Infinity", "-Infinity".
StatusOr<float> FloatOf(std::string_view name, const JsonValue& value) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (value.is_number()) {
    const auto number = value.get<double>();
    // What float rounds to infinity, as its own parser does.
    if (std::isinf(static_cast<float>(number))) {
      return Refuse(name, "found a number above those of float");
    }
    return static_cast<float>(number);
  }
  if (IsFloatWord(value) && value.size() == 1) {
    if (value["float"] == "NaN") return std::numeric_limits<float>::quiet_NaN();
    if (value["float"] == "Infinity") return kInfinity;
    if (value["float"] == "-Infinity") return -kInfinity;
  }
  return Refuse(name, "found no number among numbers");
}

// All of a list, each by `one_of`.
template <typename T>
StatusOr<std::vector<T>> AllOf(std::string_view name, const JsonValue& values,
                               StatusOr<T> (*one_of)(std::string_view,
                                                     const JsonValue&)) {
  std::vector<T> all;
  for (const JsonValue& value : values) {
    PENSTOCK_ASSIGN_OR_RETURN(all.emplace_back(), one_of(name, value));
  }
  return all;
}

StatusOr<int64_t> IntOf(std::string_view name, const JsonValue& value) {
  if (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX) {
    return Refuse(name, "found a number above those of int64");
  }
  return value.get<int64_t>();
}

// Calls the one of `to` that takes values of their kind.
template <typename To>
Status PutValues(std::string_view name, const JsonValue& values, const To& to) {
  if (!values.is_array()) return Refuse(name, "expected a list of values");
  bool bytes = false;
  bool whole = true;
  for (const JsonValue& value : values) {
    const bool text = value.is_string() || value.is_object();
    if (!text && !value.is_number()) {
      return Refuse(name, "found no number and no text");
    }
    bytes = bytes || (text && !IsFloatWord(value));
    whole = whole && value.is_number_integer();
  }
  if (bytes) {
    PENSTOCK_ASSIGN_OR_RETURN(const auto all, AllOf(name, values, BytesOf));
    to.Bytes(std::vector<std::string_view>(all.begin(), all.end()));
  } else if (whole) {
    PENSTOCK_ASSIGN_OR_RETURN(const auto all, AllOf(name, values, IntOf));
    to.Ints(all);
  } else {
    PENSTOCK_ASSIGN_OR_RETURN(const auto all, AllOf(name, values, FloatOf));
    to.Floats(all);
  }
  return OkStatus();
}

struct ToExample {
  ExampleWriter& writer;
  std::string_view name;

  void Bytes(const std::vector<std::string_view>& values) const {
    writer.SetBytes(name, values);
  }
  void Ints(const std::vector<int64_t>& values) const {
    writer.SetInts(name, values);
  }
  void Floats(const std::vector<float>& values) const {
    writer.SetFloats(name, values);
  }
};

struct ToStep {
  SequenceWriter& writer;
  std::string_view list;

  void Bytes(const std::vector<std::string_view>& values) const {
    writer.AddBytes(list, values);
  }
  void Ints(const std::vector<int64_t>& values) const {
    writer.AddInts(list, values);
  }
  void Floats(const std::vector<float>& values) const {
    writer.AddFloats(list, values);
  }
};

Status PutFeatures(const JsonValue& features, ExampleWriter& writer) {
  if (!features.is_object()) {
    return InvalidArgumentError("expected an object of features");
  }
  for (const auto& [name, values] : features.items()) {
    PENSTOCK_RETURN_IF_ERROR(PutValues(name, values, ToExample{writer, name}));
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::string> ExampleFromJson(const JsonValue& features) {
  ExampleWriter writer;
  PENSTOCK_RETURN_IF_ERROR(PutFeatures(features, writer));
  std::string out;
  writer.Finish(out);
  return out;
}

StatusOr<std::string> SequenceExampleFromJson(const JsonValue& features) {
  if (!features.is_object() || !features.contains("context") ||
      !features.contains("feature_lists") ||
      !features["feature_lists"].is_object()) {
    return InvalidArgumentError(
        "expected an object of \"context\" and \"feature_lists\"");
  }
  SequenceWriter writer;
  PENSTOCK_RETURN_IF_ERROR(PutFeatures(features["context"], writer.context()));
  for (const auto& [name, steps] : features["feature_lists"].items()) {
    if (!steps.is_array()) return Refuse(name, "expected a list of steps");
    writer.AddList(name);
    for (const JsonValue& values : steps) {
      PENSTOCK_RETURN_IF_ERROR(PutValues(name, values, ToStep{writer, name}));
    }
  }
  std::string out;
  writer.Finish(out);
  return out;
}

}  // namespace penstock
