#include "tokenizer/unicode/char_scan.h"

#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

constexpr Char kStrayByte = {kNotACharacter, 1, 0};
constexpr uint32_t kLongS = 0x17f;

uint32_t LowerAscii(char byte) {
  return static_cast<unsigned char>(byte >= 'A' && byte <= 'Z' ? byte + 32
                                                               : byte);
}

}  // namespace

Char CharBefore(std::string_view text, size_t pos) {
  size_t begin = pos - 1;
  while (begin > 0 && pos - begin < 4 && IsUtf8Continuation(text[begin])) {
    --begin;
  }
  const Char c = CharAt(text, begin);
  return begin + c.size_bytes == pos ? c : CharAt(text, pos - 1);
}

Char AnyWideCharAt(std::string_view text, size_t pos) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data()) + pos;
  const size_t left = text.size() - pos;
  const uint32_t lead = bytes[0];
  const auto tail = [&](size_t i) { return i < left && bytes[i] >> 6 == 2; };
  if (lead >= 0xc2 && lead <= 0xdf) {
    if (!tail(1)) return kStrayByte;
    const uint32_t c = (lead & 0x1f) << 6 | (bytes[1] & 0x3f);
    return {c, 2, ClassOf(c)};
  }
  if (lead >= 0xe0 && lead <= 0xef) {
    if (!tail(1) || !tail(2)) return kStrayByte;
    const uint32_t c =
        (lead & 0x0f) << 12 | (bytes[1] & 0x3fu) << 6 | (bytes[2] & 0x3f);
    if (c < 0x800 || (c >= 0xd800 && c <= 0xdfff)) return kStrayByte;
    return {c, 3, ClassOf(c)};
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (!tail(1) || !tail(2) || !tail(3)) return kStrayByte;
    const uint32_t c = (lead & 0x07) << 18 | (bytes[1] & 0x3fu) << 12 |
                       (bytes[2] & 0x3fu) << 6 | (bytes[3] & 0x3f);
    if (c < 0x10000 || c > 0x10ffff) return kStrayByte;
    return {c, 4, ClassOf(c)};
  }
  return kStrayByte;
}

size_t SkipUpToThreeNumbers(std::string_view text, size_t pos) {
  for (int i = 0; i < 3 && pos < text.size(); ++i) {
    const Char c = CharAt(text, pos);
    if (!(c.char_class & kNumber)) break;
    pos += c.size_bytes;
  }
  return pos;
}

size_t SkipContraction(std::string_view text, size_t pos) {
  if (pos + 1 >= text.size() || text[pos] != '\'') return pos;
  const Char first = CharAt(text, pos + 1);
  if (first.code_point == kLongS) return pos + 1 + first.size_bytes;
  const uint32_t a = LowerAscii(text[pos + 1]);
  if (a == 's' || a == 'd' || a == 'm' || a == 't') return pos + 2;
  if (pos + 2 >= text.size()) return pos;
  const uint32_t b = LowerAscii(text[pos + 2]);
  const bool two = (a == 'l' && b == 'l') || (a == 'v' && b == 'e') ||
                   (a == 'r' && b == 'e');
  return two ? pos + 3 : pos;
}

SpaceRun SpaceRunAt(std::string_view text, size_t pos) {
  SpaceRun run = {pos, pos, 0};
  while (run.end < text.size()) {
    const Char c = CharAt(text, run.end);
    if (!(c.char_class & kSpace)) break;
    run.last = run.end;
    run.end += c.size_bytes;
    if (IsNewline(c.code_point)) run.after_newline = run.end;
  }
  return run;
}

}  // namespace penstock
