// One object of a tokenizer.json, with where it is, so that every error names
// it. Private to the tokenizer.json loader.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "formats/files/status_or.h"

namespace penstock {

// A view: the parser that made `element` must outlive it.
//
// Errors:  kDataLoss for what the format does not allow: another type, a field
//          missing or given twice.
class JsonObject {
 public:
  // `where` is for messages: "model", "added_tokens[3]", "" for the root.
  static StatusOr<JsonObject> Of(simdjson::dom::element element,
                                 std::string where);

  // Errors:  kUnimplemented naming a field that is none of `known`: what it
  //          asks for would be left out.
  Status OnlyFields(std::initializer_list<std::string_view> known) const;

  // Nullopt where it is absent or null.
  std::optional<simdjson::dom::element> Field(std::string_view name) const;

  StatusOr<simdjson::dom::element> Required(std::string_view name) const;
  StatusOr<bool> Bool(std::string_view name) const;
  StatusOr<bool> BoolOr(std::string_view name, bool fallback) const;
  StatusOr<uint64_t> Number(std::string_view name) const;
  StatusOr<std::string_view> String(std::string_view name) const;
  StatusOr<simdjson::dom::array> Array(std::string_view name) const;
  StatusOr<JsonObject> Object(std::string_view name) const;

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

}  // namespace penstock
