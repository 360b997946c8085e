#include "tokenizer/sentencepiece_normalizer.h"

#include <utility>

#include "tokenizer/utf8.h"

namespace penstock {
namespace {

constexpr uint32_t kBmpEnd = 0x10000;

// The code point of a character of `size` bytes, 2 or 3.
uint32_t BmpCodePoint(const char* at, size_t size) {
  const auto* b = reinterpret_cast<const unsigned char*>(at);
  if (size == 2) return (b[0] & 0x1fu) << 6 | (b[1] & 0x3fu);
  return (b[0] & 0xfu) << 12 | (b[1] & 0x3fu) << 6 | (b[2] & 0x3fu);
}

size_t WriteBmpChar(uint32_t code_point, char* out) {
  if (code_point < 0x800) {
    out[0] = static_cast<char>(0xc0 | code_point >> 6);
    out[1] = static_cast<char>(0x80 | (code_point & 0x3f));
    return 2;
  }
  out[0] = static_cast<char>(0xe0 | code_point >> 12);
  out[1] = static_cast<char>(0x80 | (code_point >> 6 & 0x3f));
  out[2] = static_cast<char>(0x80 | (code_point & 0x3f));
  return 3;
}

}  // namespace

SentencePieceNormalizer::SentencePieceNormalizer(
    const SentencePieceNormalization& flags, Charsmap charsmap,
    bool whitespace_is_suffix, const UserDefinedSymbols& symbols)
    : charsmap_(std::move(charsmap)),
      symbols_(symbols),
      space_(flags.escape_whitespaces ? kSpaceSymbol : " "),
      add_prefix_(flags.add_dummy_prefix && !whitespace_is_suffix),
      add_suffix_(flags.add_dummy_prefix && whitespace_is_suffix),
      remove_extra_(flags.remove_extra_whitespaces),
      stays_(kBmpEnd / 64) {
  FillTables();
}

void SentencePieceNormalizer::FillTables() {
  for (unsigned char byte = 0; byte < 128; ++byte) {
    char text[2] = {static_cast<char>(byte), 0};
    bool looked_up = symbols_.BeginsWith(byte) ||
                     charsmap_.Longest(text, text + 1).size != 0;
    if (charsmap_.HasRuleFrom({text, 1})) {
      for (unsigned char next = 0; next < 128; ++next) {
        text[1] = static_cast<char>(next);
        looked_up |= charsmap_.HasRuleFrom({text, 2});
      }
    }
    ascii_[byte] = looked_up     ? Ascii::kLookUp
                   : byte == ' ' ? Ascii::kSpace
                                 : Ascii::kCopy;
  }
  for (uint32_t code_point = 0x80; code_point < kBmpEnd; ++code_point) {
    char text[3];
    const size_t size = WriteBmpChar(code_point, text);
    if (StaysAsIs(text, size))
      stays_[code_point / 64] |= 1ull << code_point % 64;
  }
}

// No rule or symbol could apply at the character, whatever follows it.
bool SentencePieceNormalizer::StaysAsIs(const char* at, size_t size) const {
  return Utf8SizeOfChar(at, at + size) == size &&
         !symbols_.BeginsWith(static_cast<unsigned char>(*at)) &&
         !charsmap_.HasRuleFrom({at, size}) &&
         charsmap_.Longest(at, at + size).size == 0;
}

SentencePieceNormalizer::Prefix SentencePieceNormalizer::NormalizePrefix(
    const char* at, const char* end) const {
  if (const size_t size = symbols_.Longest(at, end)) return {size, {at, size}};
  const Charsmap::Match match = charsmap_.Longest(at, end);
  if (match.size != 0) return {match.size, match.out};
  if (const size_t size = Utf8SizeOfChar(at, end)) return {size, {at, size}};
  return {1, kReplacementChar};
}

const char* SentencePieceNormalizer::SkipSpaces(const char* at,
                                                const char* end) const {
  while (at != end) {
    const Prefix prefix = NormalizePrefix(at, end);
    if (prefix.out != " ") break;
    at += prefix.size;
  }
  return at;
}

void SentencePieceNormalizer::Normalize(std::string_view text,
                                        TextBuffer& out) const {
  out.Clear();
  const char* at = text.data();
  const char* const end = at + text.size();
  if (remove_extra_) at = SkipSpaces(at, end);
  if (at == end) return;

  // Room for the rest is kept at three bytes for each: a space or a bad byte
  // becomes as many. Only what a rule gives can need more.
  out.Reserve(3 * (end - at) + 2 * space_.size());
  if (add_prefix_) out.Put(space_);
  bool after_space = remove_extra_;
  while (at != end) {
    const auto byte = static_cast<unsigned char>(*at);
    if (byte < 0x80 &&
        (at + 1 == end || static_cast<signed char>(at[1]) >= 0)) {
      if (ascii_[byte] == Ascii::kCopy) {
        out.PutByte(*at++);
        after_space = false;
        continue;
      }
      if (ascii_[byte] == Ascii::kSpace) {
        if (!after_space) out.Put(space_);
        after_space = remove_extra_;
        ++at;
        continue;
      }
    } else if (byte >= 0xc2 && byte < 0xf0) {
      const size_t size = Utf8SizeOfChar(at, end);
      if (size != 0) {
        const uint32_t code_point = BmpCodePoint(at, size);
        if (stays_[code_point / 64] >> code_point % 64 & 1) {
          out.Put(at, size);
          after_space = false;
          at += size;
          continue;
        }
      }
    }

    Prefix prefix = NormalizePrefix(at, end);
    at += prefix.size;
    if (after_space) {
      while (prefix.out.starts_with(' ')) prefix.out.remove_prefix(1);
    }
    if (prefix.out.empty()) continue;
    after_space = remove_extra_ && prefix.out.back() == ' ';
    out.Reserve(3 * (prefix.out.size() + (end - at)) + space_.size());
    for (const char c : prefix.out) {
      if (c == ' ') {
        out.Put(space_);
      } else {
        out.PutByte(c);
      }
    }
  }
  if (remove_extra_) {
    while (out.text().ends_with(space_)) out.Shrink(out.size() - space_.size());
  }
  if (add_suffix_) out.Put(space_);
}

}  // namespace penstock
