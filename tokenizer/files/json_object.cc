#include "tokenizer/files/json_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

// Whether what simdjson reads behind the text is of its last page, and so can
// be read; else simdjson makes a copy with room behind it. See "Performance
// tips" of its documentation.
bool CanReadBehind(std::string_view text) {
  constexpr size_t kPageBytes = 4096;  // no system has smaller ones
  const auto end = reinterpret_cast<uintptr_t>(text.data() + text.size());
  return end % kPageBytes != 0 &&
         end % kPageBytes + simdjson::SIMDJSON_PADDING <= kPageBytes;
}

}  // namespace

StatusOr<JsonObject> JsonObject::Of(simdjson::dom::element element,
                                    std::string where) {
  simdjson::dom::object object;
  if (element.get(object) != simdjson::SUCCESS) {
    return DataLossError(
        fmt::format("{} is not an object", where.empty() ? "the root" : where));
  }
  JsonObject made(object, std::move(where));
  std::vector<std::string_view> seen;
  for (const auto field : object) {
    if (std::find(seen.begin(), seen.end(), field.key) != seen.end()) {
      return DataLossError(
          fmt::format("field {} is given twice", made.Name(field.key)));
    }
    seen.push_back(field.key);
  }
  return made;
}

bool JsonObject::Has(std::string_view name) const {
  return object_.at_key(name).error() == simdjson::SUCCESS;
}

std::optional<simdjson::dom::element> JsonObject::Field(
    std::string_view name) const {
  simdjson::dom::element element;
  if (object_.at_key(name).get(element) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  if (element.is_null()) return std::nullopt;
  return element;
}

std::string JsonObject::Name(std::string_view field) const {
  return where_.empty() ? std::string(field)
                        : fmt::format("{}.{}", where_, field);
}

Status JsonObject::Wrong(std::string_view name, std::string_view wanted) const {
  return DataLossError(fmt::format("field {} is not {}", Name(name), wanted));
}

StatusOr<simdjson::dom::element> JsonObject::Required(
    std::string_view name) const {
  if (const auto element = Field(name)) return *element;
  return DataLossError(fmt::format("field {} is missing", Name(name)));
}

StatusOr<bool> JsonObject::Bool(std::string_view name) const {
  PENSTOCK_ASSIGN_OR_RETURN(const auto element, Required(name));
  bool value = false;
  if (element.get(value) != simdjson::SUCCESS) {
    return Wrong(name, "true or false");
  }
  return value;
}

StatusOr<bool> JsonObject::BoolOr(std::string_view name, bool fallback) const {
  if (!Has(name)) return fallback;
  return Bool(name);
}

StatusOr<bool> JsonObject::BoolOrNull(std::string_view name,
                                      bool fallback) const {
  if (!Field(name)) return fallback;
  return Bool(name);
}

StatusOr<uint64_t> JsonObject::Number(std::string_view name) const {
  PENSTOCK_ASSIGN_OR_RETURN(const auto element, Required(name));
  uint64_t value = 0;
  if (element.get(value) != simdjson::SUCCESS) {
    return Wrong(name, "a whole number");
  }
  return value;
}

StatusOr<std::string_view> JsonObject::String(std::string_view name) const {
  PENSTOCK_ASSIGN_OR_RETURN(const auto element, Required(name));
  std::string_view value;
  if (element.get(value) != simdjson::SUCCESS) return Wrong(name, "a string");
  return value;
}

StatusOr<simdjson::dom::array> JsonObject::Array(std::string_view name) const {
  PENSTOCK_ASSIGN_OR_RETURN(const auto element, Required(name));
  simdjson::dom::array value;
  if (element.get(value) != simdjson::SUCCESS) return Wrong(name, "an array");
  return value;
}

StatusOr<simdjson::dom::object> JsonObject::Map(std::string_view name) const {
  PENSTOCK_ASSIGN_OR_RETURN(const auto element, Required(name));
  simdjson::dom::object value;
  if (element.get(value) != simdjson::SUCCESS) return Wrong(name, "an object");
  return value;
}

StatusOr<JsonObject> JsonObject::Object(std::string_view name) const {
  PENSTOCK_ASSIGN_OR_RETURN(const auto element, Required(name));
  return Of(element, Name(name));
}

StatusOr<simdjson::dom::element> ParseJson(std::string_view bytes,
                                           std::string_view name,
                                           simdjson::dom::parser& parser) {
  simdjson::dom::element document;
  const simdjson::error_code error =
      parser.parse(bytes.data(), bytes.size(), !CanReadBehind(bytes))
          .get(document);
  if (error == simdjson::SUCCESS) return document;
  return DataLossError(
      fmt::format("{}: not JSON: {}", name, simdjson::error_message(error)));
}

}  // namespace penstock
