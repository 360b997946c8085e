#include "formats/example/feature_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "formats/example/feature_walk.h"
#include "formats/files/quoted.h"
#include "formats/files/status.h"

namespace penstock {
namespace {

std::string Expected(const FeatureSpec& spec) {
  const std::string type(FeatureTypeName(spec.type));
  std::string length = "any";
  if (!spec.shape.empty()) {
    length = fmt::format("{}", fmt::join(spec.shape, ","));
  } else if (spec.length != FeatureSpec::kAnyLength) {
    length = std::to_string(spec.length);
  }
  if (spec.encoding == FeatureEncoding::kPlain) {
    return fmt::format("{}[{}]", type, length);
  }
  return fmt::format("{}[{}] as {} in bytes[1]", type, length,
                     FeatureEncodingName(spec.encoding));
}

Status Unexpected(const FeatureSpec& spec, const std::string& found) {
  return InvalidArgumentError(fmt::format("feature {}: expected {}, found {}",
                                          Quoted(spec.name), Expected(spec),
                                          found));
}

bool HasValues(const FeatureSpec& spec, uint64_t values) {
  const int64_t wanted = spec.values();
  return wanted == FeatureSpec::kAnyLength ||
         values == static_cast<uint64_t>(wanted);
}

Status CheckShape(const FeatureSpec& spec) {
  uint64_t values = 1;
  for (const int64_t size : spec.shape) {
    if (size < 0) {
      return InvalidArgumentError(
          fmt::format("size {} of the shape is negative", size));
    }
    if (__builtin_mul_overflow(values, static_cast<uint64_t>(size), &values) ||
        values > std::numeric_limits<int64_t>::max()) {
      return InvalidArgumentError("the shape has over 2^63 values");
    }
  }
  if (!spec.shape.empty() && spec.length != FeatureSpec::kAnyLength) {
    return InvalidArgumentError("give a length or a shape, not both");
  }
  return OkStatus();
}

Status CheckSpec(const FeatureSpec& spec) {
  if (spec.length < 0 && spec.length != FeatureSpec::kAnyLength) {
    return InvalidArgumentError(
        fmt::format("length {} is negative", spec.length));
  }
  PENSTOCK_RETURN_IF_ERROR(CheckShape(spec));
  const bool encoded = spec.encoding != FeatureEncoding::kPlain;
  if (encoded && spec.type != FeatureType::kInt64) {
    return InvalidArgumentError(fmt::format(
        "the encoding {} is for int64, not for {}",
        FeatureEncodingName(spec.encoding), FeatureTypeName(spec.type)));
  }
  if (spec.narrow && (encoded || spec.type != FeatureType::kInt64)) {
    return InvalidArgumentError("only plain int64 is kept in narrow numbers");
  }
  if (spec.ragged && (encoded || spec.values() != FeatureSpec::kAnyLength)) {
    return InvalidArgumentError(
        "a ragged feature has no fixed length and no encoding");
  }
  return OkStatus();
}

}  // namespace

std::string_view FeatureTypeName(FeatureType type) {
  switch (type) {
    case FeatureType::kBytes:
      return "bytes";
    case FeatureType::kFloat:
      return "float";
    case FeatureType::kInt64:
      return "int64";
  }
  return "unknown";
}

std::string_view FeatureEncodingName(FeatureEncoding encoding) {
  switch (encoding) {
    case FeatureEncoding::kPlain:
      return "plain";
    case FeatureEncoding::kUint16:
      return "uint16";
    case FeatureEncoding::kUint32:
      return "uint32";
  }
  return "unknown";
}

int NumberBytes(FeatureEncoding encoding) {
  return encoding == FeatureEncoding::kPlain    ? 0
         : encoding == FeatureEncoding::kUint16 ? 2
                                                : 4;
}

int64_t FeatureSpec::values() const {
  if (shape.empty()) return length;
  int64_t product = 1;
  for (const int64_t size : shape) product *= size;
  return product;
}

std::string RaggedValuesName(std::string_view name) {
  return std::string(name) + "/ragged_flat_values";
}
std::string RaggedLengthsName(std::string_view name) {
  return std::string(name) + "/ragged_row_lengths_0";
}

Status CheckSpecs(std::span<const FeatureSpec> specs) {
  if (specs.empty()) {
    return InvalidArgumentError("no feature is asked for");
  }
  std::vector<std::string> names;
  for (const FeatureSpec& spec : specs) {
    if (spec.ragged) {
      names.push_back(RaggedValuesName(spec.name));
      names.push_back(RaggedLengthsName(spec.name));
    } else {
      names.push_back(spec.name);
    }
    if (!simdjson::validate_utf8(spec.name.data(), spec.name.size())) {
      return InvalidArgumentError(
          "the name of a feature asked for is not UTF-8");
    }
    const Status status = CheckSpec(spec);
    if (!status.ok()) return Annotate(status, "feature " + Quoted(spec.name));
  }
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return OkStatus();
  return InvalidArgumentError(
      fmt::format("feature {} is asked for twice", Quoted(*twice)));
}

Status CheckFeature(const FeatureSpec& spec, const FoundFeature& found) {
  if (!found.present || !found.type) {
    if (spec.optional) return OkStatus();
    if (found.present) return Unexpected(spec, "an empty feature");
    return NotFoundError("");
  }
  const bool encoded = spec.encoding != FeatureEncoding::kPlain;
  if (*found.type != found.slot.type || (encoded && found.values != 1)) {
    return Unexpected(spec, fmt::format("{}[{}]", FeatureTypeName(*found.type),
                                        found.values));
  }
  if (!encoded) {
    if (HasValues(spec, found.values)) return OkStatus();
    return Unexpected(spec, fmt::format("{}[{}]", FeatureTypeName(*found.type),
                                        found.values));
  }
  if (found.odd_size != 0) {
    return Unexpected(spec,
                      fmt::format("{} bytes, no multiple of {}", found.odd_size,
                                  found.slot.number_bytes));
  }
  const Column& column = *found.slot.column;
  const uint64_t numbers = column.values() - column.row_offsets.back();
  if (HasValues(spec, numbers)) return OkStatus();
  return Unexpected(spec, fmt::format("{} numbers", numbers));
}

Status CheckFeatureList(const FeatureSpec& spec, const FoundFeature& found) {
  if (!found.present) {
    if (spec.optional) return OkStatus();
    return NotFoundError("");
  }
  if (!found.odd_step) return OkStatus();
  const FoundFeature::OddStep& odd = *found.odd_step;
  return InvalidArgumentError(fmt::format(
      "feature list {}: expected {} in each step, found {} in step {}",
      Quoted(spec.name), Expected(spec),
      odd.type ? fmt::format("{}[{}]", FeatureTypeName(*odd.type), odd.values)
               : "an empty feature",
      odd.step));
}

}  // namespace penstock
