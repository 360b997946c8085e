#include "pipeline/graph/feature_form.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

namespace penstock {
namespace {

Status WrongForm(std::string message) {
  return InvalidArgumentError(std::move(message));
}

struct Limits {
  double least = 0;
  double most = 0;
};

template <typename T>
constexpr Limits LimitsOf() {
  return {static_cast<double>(std::numeric_limits<T>::min()),
          static_cast<double>(std::numeric_limits<T>::max())};
}

Limits LimitsOf(ElementType type) {
  switch (type) {
    case ElementType::kInt8:
      return LimitsOf<int8_t>();
    case ElementType::kInt16:
      return LimitsOf<int16_t>();
    case ElementType::kInt32:
      return LimitsOf<int32_t>();
    case ElementType::kInt64:
      // Larger integers are not exact in a double.
      return {-9007199254740993.0, 9007199254740992.0};
    case ElementType::kUint8:
      return LimitsOf<uint8_t>();
    case ElementType::kUint16:
      return LimitsOf<uint16_t>();
    case ElementType::kUint32:
      return LimitsOf<uint32_t>();
    case ElementType::kBool:
      return {0, 1};
    case ElementType::kFloat16:
      return {-65504, 65504};
    case ElementType::kBFloat16:
      return {-0x1.fep127, 0x1.fep127};
    case ElementType::kFloat32:
      return {-double{std::numeric_limits<float>::max()},
              double{std::numeric_limits<float>::max()}};
  }
  return {};
}

}  // namespace

bool IsFloatType(ElementType type) {
  return type == ElementType::kFloat32 || type == ElementType::kBFloat16 ||
         type == ElementType::kFloat16;
}

bool IsInteger(ElementType type) {
  return !IsFloatType(type) && type != ElementType::kBool;
}

Status CheckForm(const Feature& feature) {
  if (feature.as) {
    if (feature.type == FeatureType::kInt64 && IsFloatType(*feature.as)) {
      return WrongForm(
          fmt::format("feature \"{}\" is int64 and cannot become {}: use an "
                      "integer type or bool",
                      feature.name, ElementTypeName(*feature.as)));
    }
    if (feature.type == FeatureType::kFloat && !IsFloatType(*feature.as)) {
      return WrongForm(
          fmt::format("feature \"{}\" is float and cannot become {}: use "
                      "float32, bfloat16 or float16",
                      feature.name, ElementTypeName(*feature.as)));
    }
  }
  const bool sides =
      feature.pad_side != Side::kRight || feature.cut_side != Side::kRight;
  const bool varies =
      feature.shape.empty() && feature.length == Feature::kVarying;
  if (sides && !varies) {
    return WrongForm(fmt::format(
        "feature \"{}\" has always as many values: leave out pad_side and "
        "cut_side",
        feature.name));
  }
  if (feature.shape.empty()) return OkStatus();
  if (feature.length != Feature::kVarying) {
    return WrongForm(fmt::format(
        "feature \"{}\" has a length and a shape: give one", feature.name));
  }
  int64_t values = 1;
  for (const int64_t size : feature.shape) {
    if (size < 1 || __builtin_mul_overflow(values, size, &values) ||
        values > std::numeric_limits<int32_t>::max()) {
      return WrongForm(fmt::format(
          "feature \"{}\": the sizes of its shape must be positive, and their "
          "product below 2^31",
          feature.name));
    }
  }
  return OkStatus();
}

void SetLength(Feature& feature) {
  if (feature.shape.empty()) return;
  feature.length = 1;
  if (feature.type == FeatureType::kBytes) return;  // one value has them all
  for (const int64_t size : feature.shape) feature.length *= size;
}

Status CheckPadValue(const std::string& tensor, ElementType type,
                     double value) {
  const Limits limits = LimitsOf(type);
  // Infinities and NaN are float values, too.
  const bool whole = IsFloatType(type) || std::trunc(value) == value;
  const bool endless = IsFloatType(type) && !std::isfinite(value);
  if (endless || (whole && value >= limits.least && value <= limits.most)) {
    return OkStatus();
  }
  return WrongForm(fmt::format("pad_value {} is no {} value of \"{}\"", value,
                               ElementTypeName(type), tensor));
}

}  // namespace penstock
