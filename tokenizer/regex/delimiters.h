// What becomes of the matches of a pattern that a text is cut by.
#pragma once

#include <cstddef>
#include <vector>

namespace penstock {

// "the-final--countdown" cut by "-":
enum class Delimiters {
  kRemoved,             // the final countdown
  kIsolated,            // the - final - - countdown
  kMergedWithPrevious,  // the- final- - countdown
  kMergedWithNext,      // the -final - -countdown
  kContiguous,          // the - final -- countdown
};

// A part of a text that matches, or the text between two matches. Together,
// such parts cover the text.
struct MatchedPart {
  size_t begin, end;
  bool is_match;
};

// Merges and drops `parts` in place; what remains is the pieces.
void ApplyDelimiters(Delimiters delimiters, std::vector<MatchedPart>& parts);

}  // namespace penstock
