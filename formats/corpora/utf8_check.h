// Text that is UTF-8 without NUL, and what to make of other bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace penstock {

enum class NotUtf8 {
  kFail,     // the document is refused
  kReplace,  // each such byte becomes U+FFFD; a NUL is refused
  kKeep,     // bytes as they are, NUL too; JSONL fails, as JSON has none
};

struct TextFault {
  size_t offset = 0;
  bool is_nul = false;
};

// The first byte that is NUL or no UTF-8; of several lines at once the answer
// is that of the first bad one. Cost:  about 0.1 ns a byte where there is none.
std::optional<TextFault> FindTextFault(std::string_view text);

// `text` with U+FFFD for each byte that is no UTF-8.
std::string ReplaceInvalidUtf8(std::string_view text);

}  // namespace penstock
