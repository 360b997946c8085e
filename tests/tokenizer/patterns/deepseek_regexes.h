// The expressions of DeepSeek's tokenizer.json; see deepseek_scanner.h.
#pragma once

#include <array>

namespace penstock::testing {

inline constexpr std::array<const char*, 3> kDeepSeekRegexes = {
    R"(\p{N}{1,3})", "[一-龥\u3040-ゟ゠-ヿ]+",
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+)"
    "|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"};

}  // namespace penstock::testing
