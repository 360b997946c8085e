#include "tokenizer/normalizers/text_normalizers.h"

#include "tokenizer/normalizers/character_edits.h"
#include "tokenizer/unicode/hf_unicode.h"

#include "tokenizer/unicode/byte_alphabet.h"
#include "tokenizer/unicode/hf_unicode.h"

namespace penstock {
namespace {

using hf_unicode::BitsOf;

bool IsSpace(uint32_t c) { return BitsOf(c) & hf_unicode::kSpace; }

// What Nmt makes of a character; 0 where it drops it.
uint32_t Nmt(uint32_t c) {
  if ((c >= 0x01 && c <= 0x08) || c == 0x0b || (c >= 0x0e && c <= 0x1f) ||
      c == 0x7f || c == 0x8f || c == 0x9f) {
    return 0;
  }
  if (c == 0x09 || c == 0x0a || c == 0x0c || c == 0x0d || c == 0x1680 ||
      (c >= 0x200b && c <= 0x200f) || c == 0x2028 || c == 0x2029 ||
      c == 0x2581 || c == 0xfeff || c == 0xfffd) {
    return ' ';
  }
  return c;
}

// Drops White_Space at the ends.
void Strip(bool left, bool right, AlignedText& text) {
  const std::string_view source = text.text();
  size_t begin = 0;
  size_t end = source.size();
  if (left) {
    for (size_t pos = 0; pos < end; begin = pos) {
      if (!IsSpace(NextChar(source, pos))) break;
    }
  }
  if (right) {
    while (end > begin) {
      const size_t last = PreviousChar(source, end);
      size_t pos = last;
      if (!IsSpace(NextChar(source, pos))) break;
      end = last;
    }
  }
  if (begin == 0 && end == source.size()) return;
  TextEdit edit(text);
  edit.SkipTo(begin);
  edit.Copy(end);
  edit.Finish();
}

}  // namespace

Status UnicodeNormalizer::Edit(AlignedText& text) const {
  penstock::Normalize(form_, text);
  return OkStatus();
}

Status LowercaseNormalizer::Edit(AlignedText& text) const {
  Lowercase(text);
  return OkStatus();
}

uint32_t LowercaseNormalizer::BlankBehind(uint32_t c, uint32_t blank) const {
  const bool stays =
      c != hf_unicode::kCapitalIWithDot && hf_unicode::LowerOf(c) == c;
  return stays ? blank : 0;
}

uint32_t StripNormalizer::BlankBehind(uint32_t c, uint32_t blank) const {
  return IsSpace(c) ? 0 : blank;
}

uint32_t AccentStripper::BlankBehind(uint32_t c, uint32_t blank) const {
  return BitsOf(c) & hf_unicode::kMark ? 0 : blank;
}

uint32_t NmtNormalizer::BlankBehind(uint32_t c, uint32_t blank) const {
  return Nmt(c) == c ? Nmt(blank) : 0;
}

Status AccentStripper::Edit(AlignedText& text) const {
  DropCharacters(hf_unicode::kMark, text);
  return OkStatus();
}

Status StripNormalizer::Edit(AlignedText& text) const {
  Strip(left_, right_, text);
  return OkStatus();
}

Status StripNormalizer::EditLater(AlignedText& text) const {
  Strip(/*left=*/false, right_, text);
  return OkStatus();
}

Status NmtNormalizer::Edit(AlignedText& text) const {
  TextEdit edit(text);
  const std::string_view source = edit.source();
  for (size_t pos = 0; pos < source.size();) {
    const uint32_t c = NextChar(source, pos);
    const uint32_t becomes = Nmt(c);
    if (becomes == c) {
      edit.Copy(pos);
    } else if (becomes == 0) {
      edit.SkipTo(pos);
    } else {
      edit.Put(becomes);
    }
  }
  edit.Finish();
  return OkStatus();
}

Status PrependNormalizer::Edit(AlignedText& text) const {
  if (text.text().empty()) return OkStatus();
  TextEdit edit(text);
  size_t pos = 0;
  const uint32_t first = NextChar(edit.source(), pos);
  if (!prefix_.empty()) {
    size_t prefix_pos = 0;
    edit.Put(NextChar(prefix_, prefix_pos));
    edit.Insert(std::string_view(prefix_).substr(prefix_pos));
  }
  edit.Insert(first);
  edit.SkipTo(pos);
  edit.Copy(edit.source().size());
  edit.Finish();
  return OkStatus();
}

Status ByteLevelNormalizer::Edit(AlignedText& text) const {
  TextEdit edit(text);
  const std::string_view source = edit.source();
  for (size_t pos = 0; pos < source.size();) {
    const size_t size = Utf8Size(source[pos]);
    edit.Put(SpelledByte(source[pos]));
    for (size_t i = 1; i < size; ++i) {
      edit.Insert(SpelledByte(source[pos + i]));
    }
    pos += size;
  }
  edit.Finish();
  return OkStatus();
}

}  // namespace penstock
