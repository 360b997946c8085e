#include "tokenizer/unicode/stable_chars.h"

#include <cstring>

#include "tokenizer/unicode/hangul.h"
#include "tokenizer/unicode/hf_unicode.h"
#include "tokenizer/unicode/utf8.h"

namespace penstock {
namespace {

bool IsStable(NormalizationForm form, uint32_t c) {
  const hf_unicode::NormalizationRecord& record = hf_unicode::RecordOf(c);
  switch (form) {
    case NormalizationForm::kNfc:
      return !(record.unstable & 1);
    case NormalizationForm::kNfkc:
      return !(record.unstable & 2);
    case NormalizationForm::kNfd:
      return record.combining_class == 0 && record.canonical_size == 0 &&
             !hangul::IsSyllable(c);
    case NormalizationForm::kNfkd:
      return record.combining_class == 0 && record.compatible_size == 0 &&
             !hangul::IsSyllable(c);
  }
  return false;
}

}  // namespace

const StableChars& StableChars::Of(NormalizationForm form) {
  switch (form) {
    case NormalizationForm::kNfc: {
      static const StableChars chars(NormalizationForm::kNfc);
      return chars;
    }
    case NormalizationForm::kNfd: {
      static const StableChars chars(NormalizationForm::kNfd);
      return chars;
    }
    case NormalizationForm::kNfkc: {
      static const StableChars chars(NormalizationForm::kNfkc);
      return chars;
    }
    default: {
      static const StableChars chars(NormalizationForm::kNfkd);
      return chars;
    }
  }
}

StableChars::StableChars(NormalizationForm form) : form_(form) {
  for (uint32_t c = 0; c < kEndOfWords * 64; ++c) {
    words_[c / 64] |= uint64_t{IsStable(form, c)} << (c % 64);
  }
}

bool StableChars::HasRare(uint32_t c) const { return IsStable(form_, c); }

size_t StableChars::Skip(std::string_view text, size_t pos) const {
  const auto byte = [text](size_t at) -> uint32_t {
    return static_cast<unsigned char>(text[at]);
  };
  while (pos < text.size()) {
    const uint32_t lead = byte(pos);
    if (lead < 0x80) {
      // ASCII is stable: eight at a time, where there are as many.
      uint64_t eight = 0;
      if (pos + sizeof(eight) <= text.size()) {
        std::memcpy(&eight, text.data() + pos, sizeof(eight));
        pos += (eight & 0x8080808080808080) == 0 ? sizeof(eight) : 1;
      } else {
        ++pos;
      }
    } else if (lead < 0xe0) {
      if (!(words_[lead & 0x1f] >> (byte(pos + 1) & 0x3f) & 1)) return pos;
      pos += 2;
    } else if (lead < 0xf0) {
      const uint32_t word = (lead & 0x0f) << 6 | (byte(pos + 1) & 0x3f);
      if (!(words_[word] >> (byte(pos + 2) & 0x3f) & 1)) return pos;
      pos += 3;
    } else {
      size_t after = pos;
      if (!HasRare(NextChar(text, after))) return pos;
      pos = after;
    }
  }
  return pos;
}

}  // namespace penstock
