// Where and why a JSON document is refused: simdjson says only that it is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace penstock {

// What to take though simdjson refuses it. The values concerned are lost.
struct JsonLeniency {
  // Numbers outside 64 bits or a double's range, as Python's json writes them.
  bool numbers = false;
  // Lone surrogates and bytes that are not UTF-8 in strings: each becomes
  // U+FFFD.
  bool unicode = false;

  bool any() const { return numbers || unicode; }
};

struct JsonFault {
  size_t offset = 0;
  std::string_view what;  // "a string is opened, but never closed"
};

// The first fault that `leniency` does not take; without any, nullopt exactly
// where simdjson's DOM takes the document.
//
// Cost:    about a tenth of simdjson's speed: for documents that were refused.
// Source:  RFC 8259.
std::optional<JsonFault> FindJsonFault(std::string_view document,
                                       JsonLeniency leniency = {});

// The document with what `leniency` names made good; nullopt where something
// else is wrong too. A number becomes 0.
std::optional<std::string> MendJson(std::string_view document,
                                    JsonLeniency leniency);

}  // namespace penstock
