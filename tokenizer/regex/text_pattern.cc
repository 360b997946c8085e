#include "tokenizer/regex/text_pattern.h"

#include <array>

#include "formats/files/status_or.h"

namespace penstock {

Status TextPattern::Match(std::string_view text,
                          std::vector<MatchedPart>& parts) const {
  parts.clear();
  if (text.empty()) return OkStatus();
  std::array<Found, 256> found;
  size_t gap = 0;
  size_t count;
  do {
    PENSTOCK_ASSIGN_OR_RETURN(count, Find(text, gap, found));
    for (const Found& match : std::span(found).first(count)) {
      if (gap < match.begin) parts.push_back({gap, match.begin, false});
      parts.push_back({match.begin, match.end, true});
      gap = match.end;
    }
  } while (count == found.size());
  if (gap < text.size()) parts.push_back({gap, text.size(), false});
  return OkStatus();
}

}  // namespace penstock
