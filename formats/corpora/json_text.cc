#include "formats/corpora/json_text.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "formats/corpora/text_buffer.h"
#include "formats/files/quoted.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

static_assert(simdjson::SIMDJSON_PADDING <= TextBuffer::kPaddingBytes);

using simdjson::dom::element_type;

constexpr size_t kNamesInMessage = 8;

std::string_view TypeName(element_type type) {
  switch (type) {
    case element_type::ARRAY:
      return "an array";
    case element_type::OBJECT:
      return "an object";
    case element_type::STRING:
      return "a string";
    case element_type::BOOL:
      return "true or false";
    case element_type::NULL_VALUE:
      return "null";
    case element_type::INT64:
    case element_type::UINT64:
    case element_type::DOUBLE:
      return "a number";
  }
  return "something else";
}

Status ParseError(simdjson::error_code code, std::string_view document,
                  JsonLeniency leniency) {
  const std::optional<JsonFault> fault = FindJsonFault(document, leniency);
  const std::string message =
      fault ? fmt::format("column {}: not JSON: {}", fault->offset + 1,
                          fault->what)
            : fmt::format("not JSON: {}", simdjson::error_message(code));
  switch (code) {
    case simdjson::CAPACITY:
    case simdjson::MEMALLOC:
    case simdjson::DEPTH_ERROR:
      return ResourceExhaustedError(message);
    default:
      return DataLossError(message);
  }
}

std::string NamesIn(const simdjson::dom::object& object) {
  std::string list;
  size_t count = 0;
  for (const auto field : object) {
    if (++count > kNamesInMessage) return list + " and more";
    list += (count == 1 ? "" : ", ") + Quoted(field.key);
  }
  return count == 0 ? "no fields" : list;
}

}  // namespace

struct JsonText::Parser {
  simdjson::error_code Parse(std::string_view document) {
    return dom
        .parse(document.data(), document.size(), /*realloc_if_needed=*/false)
        .get(root);
  }

  simdjson::dom::parser dom;
  simdjson::dom::element root;  // of the document parsed last
};

JsonText::JsonText(std::string_view path, JsonLeniency leniency)
    : path_(path), leniency_(leniency), parser_(std::make_unique<Parser>()) {
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('.', begin), path.size());
    names_.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
}

JsonText::~JsonText() = default;

Status JsonText::Parse(std::string_view document) {
  const auto code = parser_->Parse(document);
  if (code == simdjson::SUCCESS) return OkStatus();
  if (leniency_.any()) {
    auto mended = MendJson(document, leniency_);
    if (mended) {
      mended_ = *std::move(mended);
      mended_.reserve(mended_.size() + TextBuffer::kPaddingBytes);
      if (parser_->Parse(mended_) == simdjson::SUCCESS) return OkStatus();
    }
  }
  return ParseError(code, document, leniency_);
}

StatusOr<std::string_view> JsonText::Read(std::string_view document) {
  repeated_ = false;
  PENSTOCK_RETURN_IF_ERROR(Parse(document));
  simdjson::dom::element at = parser_->root;
  if (!at.is_object()) {
    return InvalidArgumentError(fmt::format(
        "expected a JSON object on the line, found {}", TypeName(at.type())));
  }
  for (const std::string& name : names_) {
    simdjson::dom::object object;
    std::optional<simdjson::dom::element> found;
    if (at.get(object) == simdjson::SUCCESS) {
      for (const auto field : object) {
        if (field.key != name) continue;
        repeated_ |= found.has_value();
        found = field.value;
      }
    }
    if (!found) {
      return InvalidArgumentError(fmt::format(
          "no field {}; {} has {}", Quoted(path_),
          at.is_object() ? "the object" : "what should hold it",
          at.is_object()
              ? NamesIn(object)
              : "no fields: it is " + std::string(TypeName(at.type()))));
    }
    at = *found;
  }
  std::string_view text;
  if (at.get(text) != simdjson::SUCCESS) {
    return InvalidArgumentError(
        fmt::format("field {}: expected a string, found {}", Quoted(path_),
                    TypeName(at.type())));
  }
  return text;
}

}  // namespace penstock
