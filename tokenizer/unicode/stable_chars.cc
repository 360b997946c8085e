#include "tokenizer/unicode/stable_chars.h"

#include <bit>
#include <cstring>

#include "tokenizer/unicode/avx512.h"
#include "tokenizer/unicode/hangul.h"
#include "tokenizer/unicode/hf_unicode.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

constexpr size_t kBlockBytes = 64;
constexpr size_t kBytesBehind = 2;  // of a character that begins at its end

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
  for (uint32_t word = 0; word < kEndOfWords; ++word) {
    for (uint32_t i = 0; i < 8; ++i) {
      const bool all = (words_[word] >> 8 * i & 0xff) == 0xff;
      eights_[word] |= static_cast<uint8_t>(all << i);
    }
    const uint8_t part = word / kMixedWords;
    const bool known = mixed_count_ > 0 && mixed_[mixed_count_ - 1] == part;
    if (eights_[word] != 0xff && !known) mixed_[mixed_count_++] = part;
  }
}

bool StableChars::HasRare(uint32_t c) const { return IsStable(form_, c); }

#if defined(__x86_64__)

PENSTOCK_AVX512 uint64_t StableChars::Doubtful(const char* at) const {
  const __m512i first = _mm512_loadu_si512(at);
  if (_mm512_movepi8_mask(first) == 0) return 0;
  const __m512i second = _mm512_loadu_si512(at + 1);
  const uint64_t twos = avx512::Among(first, '\xc0', 32);
  const uint64_t threes = avx512::Among(first, '\xe0', 16);
  const uint64_t fours = avx512::Among(first, '\xf0', 16);
  // The eights of each character's word; all of them where none is mixed.
  __m512i eights = _mm512_mask_permutexvar_epi8(
      _mm512_set1_epi8('\xff'), twos, first, _mm512_load_si512(&eights_[0]));
  __m512i last = second;
  if (threes != 0) {
    last = _mm512_mask_loadu_epi8(second, threes, at + 2);
    const __m512i lowest = _mm512_slli_epi16(first, 6);
    // Of each bit the former where there is one in 0x40, the latter elsewhere.
    const __m512i word =
        _mm512_ternarylogic_epi64(_mm512_set1_epi8(0x40), lowest, second, 0xca);
    const __m512i part =
        _mm512_and_si512(_mm512_srli_epi16(first, 1), _mm512_set1_epi8(7));
    for (size_t i = 0; i < mixed_count_; ++i) {
      const uint8_t* const words = &eights_[mixed_[i] * kMixedWords];
      const uint64_t of_part = _mm512_mask_cmpeq_epi8_mask(
          threes, part, _mm512_set1_epi8(static_cast<char>(mixed_[i])));
      eights = _mm512_mask_mov_epi8(
          eights, of_part,
          _mm512_permutex2var_epi8(_mm512_load_si512(words), word,
                                   _mm512_load_si512(words + 64)));
    }
  }
  const __m512i bit = avx512::BitOf(avx512::Bits3To5(last));
  return ((twos | threes) & _mm512_testn_epi8_mask(eights, bit)) | fours;
}

size_t StableChars::Skip(std::string_view text, size_t pos) const {
  static const bool all_at_once = avx512::IsThere();
  if (!all_at_once) return SkipOneByOne(text, pos);
  for (; pos + kBlockBytes + kBytesBehind <= text.size(); pos += kBlockBytes) {
    uint64_t doubtful = Doubtful(text.data() + pos);
    for (; doubtful != 0; doubtful &= doubtful - 1) {
      const size_t begin = pos + std::countr_zero(doubtful);
      size_t end = begin;
      if (!Has(NextChar(text, end))) return begin;
    }
  }
  // What begins in a block was asked for there.
  while (pos < text.size() && IsUtf8Continuation(text[pos])) ++pos;
  return SkipOneByOne(text, pos);
}

#else

size_t StableChars::Skip(std::string_view text, size_t pos) const {
  return SkipOneByOne(text, pos);
}

#endif

size_t StableChars::SkipOneByOne(std::string_view text, size_t pos) const {
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
