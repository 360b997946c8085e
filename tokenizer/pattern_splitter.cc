#include "tokenizer/pattern_splitter.h"

namespace penstock {

void PatternSplitter::Split(Pieces& pieces) const {
  std::vector<MatchedPart> parts;
  CutPieces(pieces, [&](std::string_view text, auto add) {
    pattern_->Match(text, parts);
    if (options_.invert) {
      for (MatchedPart& part : parts) part.is_match = !part.is_match;
    }
    ApplyDelimiters(options_.delimiters, parts);
    for (const MatchedPart& part : parts) add(part.begin, part.end);
  });
}

}  // namespace penstock
