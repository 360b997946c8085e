// Writes JSON. Private to the tokenizer.json loader.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

namespace penstock {

// Appends UTF-8 as a string of JSON.
void AppendJsonString(std::string_view text, std::string& json);

// Appends the name of an object's field, after a comma where it is not the
// first; the next is not.
void AppendJsonName(std::string_view name, bool& is_first, std::string& json);

// Appends what simdjson::minify makes of it, without its copies.
void AppendJson(simdjson::dom::element element, std::string& json);

}  // namespace penstock
