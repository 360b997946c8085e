#include "tokenizer/files/json_spelling.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace penstock {
namespace {

uint8_t NeedsEscape(uint8_t c) {
  return static_cast<uint8_t>(c < 0x20) | static_cast<uint8_t>(c == '"') |
         static_cast<uint8_t>(c == '\\');
}

// The bytes that `text` begins with and that need no escape.
size_t PlainBytes(std::string_view text) {
  constexpr size_t kBlock = 64;
  const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data());
  size_t i = 0;
  for (; i + kBlock <= text.size(); i += kBlock) {
    uint8_t any = 0;
    for (size_t k = 0; k < kBlock; ++k) any |= NeedsEscape(bytes[i + k]);
    if (any != 0) break;
  }
  while (i < text.size() && NeedsEscape(bytes[i]) == 0) ++i;
  return i;
}

void AppendEscape(char c, std::string& json) {
  constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  const size_t short_one = kEscaped.find(c);
  if (short_one != std::string_view::npos) {
    json += '\\';
    json += kLetters[short_one];
  } else {
    json += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
  }
}

void AppendList(simdjson::dom::array elements, std::string& json) {
  json += '[';
  bool is_first = true;
  for (const simdjson::dom::element element : elements) {
    if (!std::exchange(is_first, false)) json += ',';
    AppendJson(element, json);
  }
  json += ']';
}

void AppendFields(simdjson::dom::object fields, std::string& json) {
  json += '{';
  bool is_first = true;
  for (const auto field : fields) {
    AppendJsonName(field.key, is_first, json);
    AppendJson(field.value, json);
  }
  json += '}';
}

}  // namespace

void AppendJsonString(std::string_view text, std::string& json) {
  // What follows a long one is short: twice its room would be a copy of it.
  json.reserve(json.size() + text.size() + text.size() / 8 + 2);
  json += '"';
  for (;;) {
    const size_t plain = PlainBytes(text);
    json += text.substr(0, plain);
    if (plain == text.size()) break;
    AppendEscape(text[plain], json);
    text.remove_prefix(plain + 1);
  }
  json += '"';
}

void AppendJsonName(std::string_view name, bool& is_first, std::string& json) {
  if (!std::exchange(is_first, false)) json += ',';
  AppendJsonString(name, json);
  json += ':';
}

void AppendJson(simdjson::dom::element element, std::string& json) {
  switch (element.type()) {
    case simdjson::dom::element_type::ARRAY:
      return AppendList(element, json);
    case simdjson::dom::element_type::OBJECT:
      return AppendFields(element, json);
    case simdjson::dom::element_type::STRING:
      return AppendJsonString(element, json);
    default:
      json += simdjson::minify(element);
  }
}

}  // namespace penstock
