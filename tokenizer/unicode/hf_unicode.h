// Characters as Hugging Face tokenizers classify them, part by part.
//
// Its parts froze at different versions of Unicode, from 8.0 to 17.0; each
// table has the version of the part that asks it. The tables are generated:
// generate_hf_unicode.py names versions and sources.
#pragma once

#include <cstddef>
#include <cstdint>

namespace penstock::hf_unicode {

enum Bits : uint8_t {
  kPunctuation = 1,  // BertPreTokenizer, Punctuation
  kAccent = 2,       // what BertNormalizer strips after NFD
  kControl = 4,      // what BertNormalizer cleans away
  kSpace = 8,        // White_Space, 25 code points
  kNumber = 16,      // Digits
  kWord = 32,        // \w of Whitespace and of single_word
  kMark = 64,        // what StripAccents strips
  kHan = 128,        // what BertNormalizer puts spaces around
};

// Grapheme_Cluster_Break in the low bits, with more above.
enum Grapheme : uint8_t {
  kGraphemeOther,
  kGraphemeCr,
  kGraphemeLf,
  kGraphemeControl,
  kGraphemeExtend,
  kGraphemeZwj,
  kGraphemeRegionalIndicator,
  kGraphemePrepend,
  kGraphemeSpacingMark,
  kGraphemeL,
  kGraphemeV,
  kGraphemeT,
  kGraphemeLv,
  kGraphemeLvt,
  kGraphemeMask = 15,
  kPictographic = 16,    // Extended_Pictographic
  kConjunctLinker = 32,  // Indic_Conjunct_Break
  kConjunctConsonant = 64,
  kConjunctExtend = 128,
};

// General_Category, two letters each.
inline constexpr char kCategoryNames[] =
    "CnLuLlLtLmLoMnMcMeNdNlNoPcPdPsPePiPfPoSmScSkSoZsZlZpCcCfCsCo";

// How one code point behaves in the four normalization forms. Hangul syllables
// have none: they follow arithmetic.
struct NormalizationRecord {
  uint8_t combining_class;
  uint8_t unstable;          // 1: may change or move in NFC; 2: in NFKC
  uint16_t canonical_begin;  // into kDecompositions
  uint8_t canonical_size;    // 0: none
  uint16_t compatible_begin;
  uint8_t compatible_size;
};

struct Composition {
  uint32_t first, second, composed;
};

extern const uint16_t kBitsBlock[], kLowerDeltaBlock[], kGraphemeBlock[],
    kCategoryBlock[], kScriptBlock[], kRecordBlock[];
extern const uint8_t kBits[], kGrapheme[], kCategory[], kScript[];
extern const int32_t kLowerDelta[];
extern const uint16_t kRecord[];
extern const NormalizationRecord kRecords[];
extern const uint32_t kDecompositions[];
extern const Composition kCompositions[];  // sorted
extern const size_t kCompositionCount;

inline constexpr uint32_t kBlockSize = 128;

inline size_t PlaceOf(const uint16_t* blocks, uint32_t c) {
  return blocks[c / kBlockSize] * size_t{kBlockSize} + c % kBlockSize;
}

// All of these: `c` < 0x110000.
inline uint8_t BitsOf(uint32_t c) { return kBits[PlaceOf(kBitsBlock, c)]; }
inline uint8_t GraphemeOf(uint32_t c) {
  return kGrapheme[PlaceOf(kGraphemeBlock, c)];
}
// Its place in kCategoryNames.
inline uint8_t CategoryOf(uint32_t c) {
  return kCategory[PlaceOf(kCategoryBlock, c)];
}
// A number for each script; 0 for the space and what has none.
inline uint8_t ScriptOf(uint32_t c) {
  return kScript[PlaceOf(kScriptBlock, c)];
}
inline const NormalizationRecord& RecordOf(uint32_t c) {
  return kRecords[kRecord[PlaceOf(kRecordBlock, c)]];
}
// One code point alone, whatever stands around it. U+0130 becomes two, "i" and
// U+0307: see kCapitalIWithDot.
inline uint32_t LowerOf(uint32_t c) {
  return c + kLowerDelta[PlaceOf(kLowerDeltaBlock, c)];
}
inline constexpr uint32_t kCapitalIWithDot = 0x130;

}  // namespace penstock::hf_unicode
