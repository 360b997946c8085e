#include "tokenizer/normalizers/character_edits.h"

#include "tokenizer/unicode/hf_unicode.h"

namespace penstock {

void AppendLower(uint32_t c, std::string& out) {
  if (c == hf_unicode::kCapitalIWithDot) {
    out.append("i\u0307");
  } else {
    AppendChar(hf_unicode::LowerOf(c), out);
  }
}

void Lowercase(AlignedText& text) {
  TextEdit edit(text);
  const std::string_view source = edit.source();
  for (size_t pos = 0; pos < source.size();) {
    const uint32_t c = NextChar(source, pos);
    if (c == hf_unicode::kCapitalIWithDot) {
      edit.Put('i');
      edit.Insert(0x307);
    } else {
      edit.Put(hf_unicode::LowerOf(c));
    }
  }
  edit.Finish();
}

void DropCharacters(uint8_t bits, AlignedText& text) {
  TextEdit edit(text);
  const std::string_view source = edit.source();
  for (size_t pos = 0; pos < source.size();) {
    if (hf_unicode::BitsOf(NextChar(source, pos)) & bits) {
      edit.SkipTo(pos);
    } else {
      edit.Copy(pos);
    }
  }
  edit.Finish();
}

}  // namespace penstock
