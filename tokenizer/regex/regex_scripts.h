// The scripts of Unicode 16.0, which the regular expressions of both
// references know. generate_regex_scripts.py names the source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace penstock {

struct ScriptRange {
  uint8_t script;  // its place in kScriptNames
  uint32_t first, last;
};

extern const ScriptRange kScriptRanges[];  // by script, then in order
extern const size_t kScriptRangeCount;
extern const std::string_view kScriptNames[];
extern const size_t kScriptCount;

}  // namespace penstock
