#include "formats/corpora/utf8_check.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>

namespace penstock {
namespace {

constexpr std::string_view kReplacementCharacter = "\xef\xbf\xbd";

// Bytes of the character at the front; 0 where it is none.
size_t Utf8Bytes(std::string_view text) {
  for (size_t size = 1; size <= 4 && size <= text.size(); ++size) {
    if (simdjson::validate_utf8(text.data(), size)) return size;
  }
  return 0;
}

// Where the first byte is that is no UTF-8; there is one. Halves what is
// looked at: a cut inside of a character is moved before it.
size_t FirstInvalid(std::string_view text) {
  size_t begin = 0;
  while (text.size() - begin > 64) {
    size_t middle = begin + (text.size() - begin) / 2;
    for (int i = 0; i < 3 && (text[middle] & 0xc0) == 0x80; ++i) --middle;
    if (simdjson::validate_utf8(text.data() + begin, middle - begin)) {
      begin = middle;
    } else {
      text = text.substr(0, middle);
    }
  }
  while (const size_t size = Utf8Bytes(text.substr(begin))) begin += size;
  return begin;
}

}  // namespace

std::optional<TextFault> FindTextFault(std::string_view text) {
  const void* const nul =
      text.empty() ? nullptr : std::memchr(text.data(), 0, text.size());
  const bool valid = simdjson::validate_utf8(text.data(), text.size());
  if (nul == nullptr && valid) return std::nullopt;
  const size_t at = nul == nullptr
                        ? text.size()
                        : static_cast<const char*>(nul) - text.data();
  if (simdjson::validate_utf8(text.data(), at)) return TextFault{at, true};
  return TextFault{FirstInvalid(text.substr(0, at)), false};
}

std::string ReplaceInvalidUtf8(std::string_view text) {
  constexpr size_t kBlockBytes = 256;
  std::string mended;
  while (!text.empty()) {
    const std::string_view block = text.substr(0, kBlockBytes);
    if (simdjson::validate_utf8(block.data(), block.size())) {
      mended += block;
      text.remove_prefix(block.size());
      continue;
    }
    // Up to where the block would end inside of a character.
    for (size_t used = 0; used + 4 <= kBlockBytes && !text.empty();) {
      const size_t size = Utf8Bytes(text);
      mended += size > 0 ? text.substr(0, size) : kReplacementCharacter;
      used += size > 0 ? size : 1;
      text.remove_prefix(size > 0 ? size : 1);
    }
  }
  return mended;
}

}  // namespace penstock
