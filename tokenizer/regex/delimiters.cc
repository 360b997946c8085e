#include "tokenizer/regex/delimiters.h"

#include <algorithm>

namespace penstock {
namespace {

// Joins each part with the one before where `joins` says so of the two.
template <typename Joins>
void Join(std::vector<MatchedPart>& parts, Joins joins) {
  size_t count = 0;
  bool previous_match = false;
  for (size_t i = 0; i < parts.size(); ++i) {
    const MatchedPart part = parts[i];
    if (count > 0 && joins(previous_match, part.is_match)) {
      MatchedPart& last = parts[count - 1];
      last.begin = std::min(last.begin, part.begin);
      last.end = std::max(last.end, part.end);
    } else {
      parts[count++] = part;
    }
    previous_match = part.is_match;
  }
  parts.resize(count);
}

bool MatchAfterGap(bool previous, bool current) { return current && !previous; }

}  // namespace

void ApplyDelimiters(Delimiters delimiters, std::vector<MatchedPart>& parts) {
  switch (delimiters) {
    case Delimiters::kRemoved:
      std::erase_if(parts, [](const MatchedPart& p) { return p.is_match; });
      break;
    case Delimiters::kIsolated:
      break;
    case Delimiters::kContiguous:
      Join(parts,
           [](bool previous, bool current) { return previous == current; });
      break;
    case Delimiters::kMergedWithPrevious:
      Join(parts, MatchAfterGap);
      break;
    case Delimiters::kMergedWithNext:
      std::reverse(parts.begin(), parts.end());
      Join(parts, MatchAfterGap);
      std::reverse(parts.begin(), parts.end());
      break;
  }
}

}  // namespace penstock
