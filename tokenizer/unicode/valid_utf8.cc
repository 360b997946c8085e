#include "tokenizer/unicode/valid_utf8.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <cstring>

namespace penstock {

bool IsValidUtf8(std::string_view text) {
  return simdjson::validate_utf8(text.data(), text.size());
}

Status CheckUtf8(std::string_view text) {
  if (IsValidUtf8(text)) return OkStatus();
  size_t pos = 0;
  while (Utf8ErrorAt(text, pos) == 0) pos += Utf8Size(text[pos]);
  return InvalidArgumentError(fmt::format(
      "the text is not UTF-8: byte 0x{:02X} at offset {}; mend it, or "
      "allow bytes that are not UTF-8 where only ids are wanted",
      static_cast<unsigned char>(text[pos]), pos));
}

bool IsAscii(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  size_t pos = 0;
  for (; pos + 8 <= text.size(); pos += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + pos, 8);
    if (word & kHighBits) return false;
  }
  for (; pos < text.size(); ++pos) {
    if (static_cast<unsigned char>(text[pos]) >= 0x80) return false;
  }
  return true;
}

size_t Utf8ErrorAt(std::string_view text, size_t pos) {
  const auto byte_at = [&](size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte_at(pos);
  if (first < 0x80) return 0;
  if (first < 0xc2 || first > 0xf4) return 1;
  // Only the second byte's range depends on the first.
  unsigned low = 0x80, high = 0xbf;
  if (first == 0xe0) low = 0xa0;
  if (first == 0xed) high = 0x9f;
  if (first == 0xf0) low = 0x90;
  if (first == 0xf4) high = 0x8f;
  const size_t size = Utf8Size(text[pos]);
  for (size_t i = 1; i < size; ++i) {
    const unsigned byte = byte_at(pos + i);
    if (byte < low || byte > high) return i;
    low = 0x80;
    high = 0xbf;
  }
  return 0;
}

size_t UnfinishedUtf8Size(std::string_view text) {
  for (size_t size = 1; size <= 3 && size <= text.size(); ++size) {
    const size_t pos = text.size() - size;
    if (IsUtf8Continuation(text[pos])) continue;
    const auto first = static_cast<unsigned char>(text[pos]);
    if (first < 0xc2 || first > 0xf4) return 0;
    // The error is that nothing follows.
    return Utf8Size(text[pos]) > size && Utf8ErrorAt(text, pos) == size ? size
                                                                        : 0;
  }
  return 0;
}

std::string ReplaceUtf8Errors(std::string_view text) {
  std::string valid;
  valid.reserve(text.size() + 16);
  for (size_t pos = 0; pos < text.size();) {
    if (const size_t error = Utf8ErrorAt(text, pos)) {
      AppendChar(kReplacementCharacter, valid);
      pos += error;
    } else {
      const size_t size = Utf8Size(text[pos]);
      valid.append(text.substr(pos, size));
      pos += size;
    }
  }
  return valid;
}

}  // namespace penstock
