#include "tokenizer/unicode/unicode_normalization.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "tokenizer/unicode/hangul.h"
#include "tokenizer/unicode/hf_unicode.h"
#include "tokenizer/unicode/stable_chars.h"

namespace penstock {
namespace {

using namespace hangul;
using hf_unicode::NormalizationRecord;
using hf_unicode::RecordOf;

// 0 where the two do not compose.
uint32_t Compose(uint32_t first, uint32_t second) {
  if (first - kLBase < kLCount && second - kVBase < kVCount) {
    return kSBase + ((first - kLBase) * kVCount + (second - kVBase)) * kTCount;
  }
  if (IsSyllable(first) && (first - kSBase) % kTCount == 0 &&
      second - kTBase - 1 < kTCount - 1) {
    return first + (second - kTBase);
  }
  const hf_unicode::Composition* begin = hf_unicode::kCompositions;
  const hf_unicode::Composition* end = begin + hf_unicode::kCompositionCount;
  const auto found = std::lower_bound(
      begin, end, std::pair(first, second), [](const auto& a, const auto& b) {
        return std::tie(a.first, a.second) < std::tie(b.first, b.second);
      });
  if (found == end || found->first != first || found->second != second) {
    return 0;
  }
  return found->composed;
}

struct Change {
  uint32_t code_point;
  uint8_t combining_class;
  int change;
};

// The change of a composed character counts what went into it, so that an edit
// knows how many old characters it stands for.
void Recompose(const std::vector<DecomposedChar>& chars,
               std::vector<Change>& out) {
  constexpr size_t kNone = ~size_t{0};
  size_t starter = kNone;
  int last_class = -1;  // of what stands between the starter and here
  for (const DecomposedChar& c : chars) {
    const int change = c.first ? 0 : 1;
    if (starter != kNone && last_class < c.combining_class) {
      if (const uint32_t composed =
              Compose(out[starter].code_point, c.code_point)) {
        out[starter].code_point = composed;
        out[starter].change += change - 1;
        continue;
      }
    }
    if (c.combining_class == 0) {
      starter = out.size();
      last_class = -1;
    } else if (starter != kNone) {
      last_class = c.combining_class;
    }
    out.push_back({c.code_point, c.combining_class, change});
  }
}

// Normalizes the unstable characters up to `end`, and the stable one that they
// may merge with.
void EditRegion(NormalizationForm form, size_t end, TextEdit& edit) {
  const bool compatible =
      form == NormalizationForm::kNfkc || form == NormalizationForm::kNfkd;
  std::vector<DecomposedChar> chars;
  for (size_t pos = edit.position(); pos < end;) {
    Decompose(NextChar(edit.source(), pos), compatible, chars);
  }
  OrderCombining(chars);
  if (form == NormalizationForm::kNfd || form == NormalizationForm::kNfkd) {
    for (const DecomposedChar& c : chars) {
      edit.Apply(c.code_point, c.first ? 0 : 1);
    }
  } else {
    std::vector<Change> changes;
    Recompose(chars, changes);
    for (const Change& c : changes) edit.Apply(c.code_point, c.change);
  }
  edit.SkipTo(end);
}

}  // namespace

void Decompose(uint32_t c, bool compatible,
               std::vector<DecomposedChar>& chars) {
  if (IsSyllable(c)) {
    const uint32_t s = c - kSBase;
    chars.push_back({kLBase + s / (kVCount * kTCount), 0, true});
    chars.push_back({kVBase + s / kTCount % kVCount, 0, false});
    if (s % kTCount) chars.push_back({kTBase + s % kTCount, 0, false});
    return;
  }
  const NormalizationRecord& record = RecordOf(c);
  const size_t size =
      compatible ? record.compatible_size : record.canonical_size;
  if (size == 0) {
    chars.push_back({c, record.combining_class, true});
    return;
  }
  const uint32_t* parts =
      hf_unicode::kDecompositions +
      (compatible ? record.compatible_begin : record.canonical_begin);
  for (size_t i = 0; i < size; ++i) {
    chars.push_back({parts[i], RecordOf(parts[i]).combining_class, i == 0});
  }
}

void OrderCombining(std::vector<DecomposedChar>& chars) {
  for (size_t begin = 0; begin < chars.size();) {
    if (chars[begin].combining_class == 0) {
      ++begin;
      continue;
    }
    size_t end = begin;
    while (end < chars.size() && chars[end].combining_class != 0) ++end;
    std::stable_sort(chars.begin() + begin, chars.begin() + end,
                     [](const DecomposedChar& a, const DecomposedChar& b) {
                       return a.combining_class < b.combining_class;
                     });
    begin = end;
  }
}

void Normalize(NormalizationForm form, AlignedText& text) {
  if (IsAscii(text.text())) return;  // nor need what is stable be known
  const StableChars& stable = StableChars::Of(form);
  const bool composes =
      form == NormalizationForm::kNfc || form == NormalizationForm::kNfkc;
  const size_t size = text.text().size();
  std::optional<TextEdit> edit;
  for (size_t pos = 0; pos < size;) {
    const size_t begin = stable.Skip(text.text(), pos);
    if (begin == size) break;
    size_t end = begin;
    do {
      size_t after = end;
      if (stable.Has(NextChar(text.text(), after))) break;
      end = after;
    } while (end < size);
    if (!edit) edit.emplace(text);
    // What it may merge with is the stable one before it.
    edit->Copy(composes && begin > pos ? PreviousChar(text.text(), begin)
                                       : begin);
    EditRegion(form, end, *edit);
    pos = end;
  }
  if (!edit) return;
  edit->Copy(size);
  edit->Finish();
}

}  // namespace penstock
