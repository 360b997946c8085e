#include "formats/datasets/tfds_features.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "formats/corpora/json_keys.h"
#include "formats/files/quoted.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDepthLimit = 16;
constexpr char kPackage[] = "tensorflow_datasets.core.features.";

// The key that says what a feature is; its class name may be a user's own.
constexpr const char* kLeaves[] = {"tensor", "text", "image", "classLabel"};

struct Leaf {
  FeatureType type = FeatureType::kBytes;
  std::vector<int64_t> dimensions = {};  // -1 for any
  FeatureEncoding encoding = FeatureEncoding::kPlain;
};

Status Unknown(const std::string& name, const std::string& what) {
  return UnimplementedError(fmt::format(
      "feature {} is {}, which is not read; ask for the features you need by "
      "name and type instead",
      Quoted(name), what));
}

std::optional<FeatureType> TypeOf(const std::string& dtype) {
  static const std::set<std::string> kInts = {"bool",   "int8",   "int16",
                                              "int32",  "int64",  "uint8",
                                              "uint16", "uint32", "uint64"};
  static const std::set<std::string> kFloats = {"bfloat16", "float16",
                                                "float32", "float64"};
  if (kInts.contains(dtype)) return FeatureType::kInt64;
  if (kFloats.contains(dtype)) return FeatureType::kFloat;
  if (dtype == "string" || dtype == "object") return FeatureType::kBytes;
  return std::nullopt;
}

// Protobuf's JSON has 64-bit numbers as strings.
std::optional<int64_t> Int(const nlohmann::json& value) {
  if (value.is_number_integer()) return value.get<int64_t>();
  if (!value.is_string()) return std::nullopt;
  const std::string text = value.get<std::string>();
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

class FeatureReader {
 public:
  Status Read(const nlohmann::json& feature, const std::string& name,
              int sequences, int depth);
  std::vector<FeatureSpec> specs;

 private:
  StatusOr<Leaf> ReadTensor(const nlohmann::json& tensor,
                            const std::string& name) const;
  Status Add(const Leaf& leaf, const std::string& name, int sequences);
};

Status Malformed(const std::string& name, const char* what) {
  return DataLossError(fmt::format("feature {}: {}", Quoted(name), what));
}

Status FeatureReader::Read(const nlohmann::json& feature,
                           const std::string& name, int sequences, int depth) {
  if (!feature.is_object()) return Malformed(name, "is no object");
  if (depth == kDepthLimit) return Malformed(name, "is nested too deep");
  const auto part = [](const nlohmann::json& object,
                       const char* key) -> nlohmann::json {
    return object.is_object() ? object.value(key, nlohmann::json()) : nullptr;
  };
  if (feature.contains("featuresDict")) {
    const nlohmann::json inner = part(feature["featuresDict"], "features");
    if (!inner.is_object()) return Malformed(name, "has no features");
    for (const auto& [key, value] : inner.items()) {
      PENSTOCK_RETURN_IF_ERROR(Read(
          value, name.empty() ? key : name + "/" + key, sequences, depth + 1));
    }
    return OkStatus();
  }
  if (feature.contains("sequence")) {
    return Read(part(feature["sequence"], "feature"), name, sequences + 1,
                depth + 1);
  }
  for (const char* kind : kLeaves) {
    if (!feature.contains(kind)) continue;
    Leaf leaf;
    if (std::string_view(kind) == "tensor") {
      PENSTOCK_ASSIGN_OR_RETURN(leaf, ReadTensor(feature[kind], name));
    } else if (std::string_view(kind) == "classLabel") {
      leaf.type = FeatureType::kInt64;
    }
    return Add(leaf, name, sequences);
  }
  const nlohmann::json type = part(feature, "pythonClassName");
  return Unknown(
      name, type.is_string() ? type.get<std::string>() : "of no known type");
}

StatusOr<Leaf> FeatureReader::ReadTensor(const nlohmann::json& tensor,
                                         const std::string& name) const {
  if (!tensor.is_object()) return Malformed(name, "has a tensor without keys");
  Leaf leaf;
  const std::string dtype =
      tensor.contains("dtype") && tensor["dtype"].is_string()
          ? tensor["dtype"].get<std::string>()
          : "";
  const std::optional<FeatureType> type = TypeOf(dtype);
  if (!type) return Unknown(name, fmt::format("of dtype {}", Quoted(dtype)));
  leaf.type = *type;
  if (tensor.contains("shape") && tensor["shape"].is_object()) {
    for (const nlohmann::json& dimension :
         tensor["shape"].value("dimensions", nlohmann::json::array())) {
      const std::optional<int64_t> size = Int(dimension);
      if (!size || *size < -1) return Malformed(name, "has a bad dimension");
      leaf.dimensions.push_back(*size);
    }
  }
  const std::string encoding =
      tensor.contains("encoding") && tensor["encoding"].is_string()
          ? tensor["encoding"].get<std::string>()
          : "none";
  if (encoding == "none") return leaf;
  if (encoding == "bytes" && (dtype == "uint16" || dtype == "uint32")) {
    leaf.encoding =
        dtype == "uint16" ? FeatureEncoding::kUint16 : FeatureEncoding::kUint32;
    return leaf;
  }
  return Unknown(name, fmt::format("{} encoded as {}", dtype, encoding));
}

Status FeatureReader::Add(const Leaf& leaf, const std::string& name,
                          int sequences) {
  FeatureSpec spec{.name = name, .type = leaf.type, .encoding = leaf.encoding};
  int unknown = sequences;
  for (const int64_t size : leaf.dimensions) unknown += size == -1;
  if (sequences > 0 && leaf.encoding != FeatureEncoding::kPlain) {
    return Unknown(name, "a sequence of encoded tensors");
  }
  if (unknown > 2 ||
      (unknown == 2 &&
       leaf.dimensions.size() + static_cast<size_t>(sequences) > 2)) {
    return Unknown(name, "ragged in more than one dimension");
  }
  if (unknown == 2) {
    spec.ragged = true;
  } else if (unknown == 0 && leaf.dimensions.empty()) {
    spec.length = 1;
  } else if (unknown == 0) {
    spec.shape = leaf.dimensions;
  }
  specs.push_back(std::move(spec));
  return OkStatus();
}

Json Tensor(const FeatureSpec& spec, const char* python_class) {
  Json shape = Json::object();
  if (!spec.shape.empty()) {
    for (const int64_t size : spec.shape) {
      shape["dimensions"].push_back(std::to_string(size));
    }
  } else if (spec.length != 1) {
    shape["dimensions"].push_back(std::to_string(spec.length));
  }
  const bool encoded = spec.encoding != FeatureEncoding::kPlain;
  const std::string dtype =
      encoded ? std::string(FeatureEncodingName(spec.encoding))
      : spec.type == FeatureType::kInt64 ? "int64"
      : spec.type == FeatureType::kFloat ? "float32"
                                         : "string";
  return {{"pythonClassName", std::string(kPackage) + python_class},
          {"tensor",
           {{"shape", shape},
            {"dtype", dtype},
            {"encoding", encoded ? "bytes" : "none"}}}};
}

Json Sequence(Json feature) {
  return {
      {"pythonClassName", std::string(kPackage) + "sequence_feature.Sequence"},
      {"sequence", {{"feature", std::move(feature)}, {"length", "-1"}}}};
}

Json ToJson(const FeatureSpec& spec) {
  if (spec.ragged) {
    FeatureSpec scalar{.type = spec.type, .length = 1};
    return Sequence(Sequence(Tensor(scalar, "scalar.Scalar")));
  }
  if (spec.type == FeatureType::kBytes && spec.length == 1) {
    return {{"pythonClassName", std::string(kPackage) + "text_feature.Text"},
            {"text", Json::object()}};
  }
  const bool scalar = spec.shape.empty() && spec.length == 1;
  return Tensor(spec, scalar ? "scalar.Scalar" : "tensor_feature.Tensor");
}

}  // namespace

StatusOr<std::vector<FeatureSpec>> ReadTfdsFeatures(const std::string& text) {
  PENSTOCK_ASSIGN_OR_RETURN(const nlohmann::json json, ParseJson(text));
  FeatureReader reader;
  PENSTOCK_RETURN_IF_ERROR(reader.Read(json, "", 0, 0));
  return std::move(reader.specs);
}

std::string WriteTfdsFeatures(std::span<const FeatureSpec> specs) {
  Json features = Json::object();
  for (const FeatureSpec& spec : specs) features[spec.name] = ToJson(spec);
  const Json json = {
      {"pythonClassName", std::string(kPackage) + "features_dict.FeaturesDict"},
      {"featuresDict", {{"features", std::move(features)}}}};
  return json.dump(2) + "\n";
}

}  // namespace penstock
