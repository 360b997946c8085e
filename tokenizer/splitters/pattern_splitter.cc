#include "tokenizer/splitters/pattern_splitter.h"

#include <string>
#include <utility>

namespace penstock {

Status PatternSplitter::Cut(Pieces& pieces) const {
  // As behind a Replace of all spaces.
  if (CutsAtSpacesAlone() &&
      pieces.text.text().find(' ') == std::string::npos) {
    return OkStatus();
  }
  std::vector<MatchedPart> parts;
  Status status;
  CutPieces(pieces, [&](std::string_view text, auto add) {
    if (!status.ok()) return;
    status = pattern_->Match(text, parts);
    if (options_.invert) {
      for (MatchedPart& part : parts) part.is_match = !part.is_match;
    }
    ApplyDelimiters(options_.delimiters, parts);
    for (const MatchedPart& part : parts) add(part.begin, part.end);
  });
  return status;
}

}  // namespace penstock
