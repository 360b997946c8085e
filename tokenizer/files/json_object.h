// One object of a tokenizer.json, with where it is, so that every error names
// it. Private to the tokenizer.json loader.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "formats/files/status_or.h"

namespace penstock {

// A view: the parser that made `element` must outlive it. Fields that nobody
// asks for are passed over, as the reference does.
//
// Errors:  kDataLoss for what the format does not allow: another type, a field
//          missing, null or given twice.
class JsonObject {
 public:
  // `where` is for messages: "model", "added_tokens[3]", "" for the root.
  // Cost:    the square of the number of fields.
  static StatusOr<JsonObject> Of(simdjson::dom::element element,
                                 std::string where);

  // Whether it is there, null or not.
  bool Has(std::string_view name) const;

  // Nullopt where it is absent or null.
  std::optional<simdjson::dom::element> Field(std::string_view name) const;

  StatusOr<simdjson::dom::element> Required(std::string_view name) const;
  StatusOr<bool> Bool(std::string_view name) const;
  // `fallback` where it is absent; null is not a bool.
  StatusOr<bool> BoolOr(std::string_view name, bool fallback) const;
  // `fallback` where it is absent or null.
  StatusOr<bool> BoolOrNull(std::string_view name, bool fallback) const;
  StatusOr<uint64_t> Number(std::string_view name) const;
  StatusOr<std::string_view> String(std::string_view name) const;
  StatusOr<simdjson::dom::array> Array(std::string_view name) const;
  StatusOr<JsonObject> Object(std::string_view name) const;
  // An object with any number of fields, which may be given twice.
  StatusOr<simdjson::dom::object> Map(std::string_view name) const;

  // Every field there is, in the order of the file.
  simdjson::dom::object fields() const { return object_; }
  const std::string& where() const { return where_; }

 private:
  JsonObject(simdjson::dom::object object, std::string where)
      : object_(object), where_(std::move(where)) {}

  // The name of a field, for messages: "model.vocab".
  std::string Name(std::string_view field) const;
  Status Wrong(std::string_view name, std::string_view wanted) const;

  simdjson::dom::object object_;
  std::string where_;
};

// A whole file; lives as long as `parser`. `name` is the file's, for messages.
StatusOr<simdjson::dom::element> ParseJson(std::string_view bytes,
                                           std::string_view name,
                                           simdjson::dom::parser& parser);

}  // namespace penstock
