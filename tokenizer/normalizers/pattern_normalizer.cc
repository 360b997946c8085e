#include "tokenizer/normalizers/pattern_normalizer.h"

#include <vector>

namespace penstock {

void PatternNormalizer::Normalize(AlignedText& text) const {
  std::vector<MatchedPart> parts;
  // It has no errors, as the constructor wants.
  pattern_->Match(text.text(), parts).IgnoreError();
  TextEdit edit(text);
  for (const MatchedPart& part : parts) {
    if (part.is_match) {
      edit.SkipTo(part.end);
      edit.Insert(content_);
    } else {
      edit.Copy(part.end);
    }
  }
  edit.Finish();
}

}  // namespace penstock
