#include "formats/files/quoted.h"

#include <cstddef>

#include <simdjson.h>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"

namespace penstock {
namespace {

constexpr size_t kLimit = 64;

bool IsMiddleOfCharacter(char c) { return (c & 0xc0) == 0x80; }

}  // namespace

std::string Quoted(std::string_view text) {
  size_t size = text.size();
  if (size > kLimit) {
    size = kLimit;
    while (size > kLimit - 4 && IsMiddleOfCharacter(text[size])) --size;
  }
  std::string quoted = "\"";
  const absl::string_view kept(text.data(), size);
  quoted += simdjson::validate_utf8(text.data(), size)
                ? absl::Utf8SafeCHexEscape(kept)
                : absl::CHexEscape(kept);
  quoted += size < text.size() ? "...\"" : "\"";
  return quoted;
}

}  // namespace penstock
