#include "tokenizer/unicode/graphemes.h"

#include <cstdint>

#include "tokenizer/unicode/hf_unicode.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

using namespace hf_unicode;  // NOLINT: the classes, by their short names

// What decides whether a cluster goes on, beside its last character.
struct Seen {
  uint8_t last;
  bool pictographic = false;         // ExtPict Extend*
  bool joined_pictographic = false;  // ExtPict Extend* ZWJ
  bool conjunct = false;  // Consonant with only Extend and Linker behind
  bool linked = false;    // ... and a Linker among them
  int regional_indicators = 0;
};

void Look(uint8_t properties, Seen& seen) {
  const int kind = properties & kGraphemeMask;
  seen.joined_pictographic = seen.pictographic && kind == kGraphemeZwj;
  seen.pictographic = (properties & kPictographic) ||
                      (seen.pictographic && kind == kGraphemeExtend);
  if (properties & kConjunctConsonant) {
    seen.conjunct = true;
    seen.linked = false;
  } else if (properties & kConjunctLinker) {
    seen.linked = seen.conjunct;
  } else if (!(properties & kConjunctExtend)) {
    seen.conjunct = seen.linked = false;
  }
  seen.regional_indicators =
      kind == kGraphemeRegionalIndicator ? seen.regional_indicators + 1 : 0;
  seen.last = properties;
}

bool IsControl(int kind) {
  return kind == kGraphemeControl || kind == kGraphemeCr || kind == kGraphemeLf;
}

// Whether `next` belongs to the cluster. The rules are GB3 to GB13.
bool GoesOn(const Seen& seen, uint8_t next) {
  const int last = seen.last & kGraphemeMask;
  const int kind = next & kGraphemeMask;
  if (last == kGraphemeCr) return kind == kGraphemeLf;
  if (IsControl(last) || IsControl(kind)) return false;
  switch (last) {
    case kGraphemeL:
      if (kind == kGraphemeL || kind == kGraphemeV || kind == kGraphemeLv ||
          kind == kGraphemeLvt) {
        return true;
      }
      break;
    case kGraphemeV:
    case kGraphemeLv:
      if (kind == kGraphemeV || kind == kGraphemeT) return true;
      break;
    case kGraphemeT:
    case kGraphemeLvt:
      if (kind == kGraphemeT) return true;
      break;
    case kGraphemePrepend:
      return true;
    default:
      break;
  }
  if (kind == kGraphemeExtend || kind == kGraphemeZwj ||
      kind == kGraphemeSpacingMark) {
    return true;
  }
  if (seen.linked && (next & kConjunctConsonant)) return true;
  if (seen.joined_pictographic && (next & kPictographic)) return true;
  return kind == kGraphemeRegionalIndicator &&
         seen.regional_indicators % 2 == 1;
}

}  // namespace

size_t GraphemeEnd(std::string_view text, size_t begin) {
  size_t pos = begin;
  Seen seen = {};
  Look(GraphemeOf(NextChar(text, pos)), seen);
  while (pos < text.size()) {
    size_t after = pos;
    const uint8_t next = GraphemeOf(NextChar(text, after));
    if (!GoesOn(seen, next)) break;
    Look(next, seen);
    pos = after;
  }
  return pos;
}

}  // namespace penstock
