#include "tokenizer/patterns/space_runs.h"

#include <algorithm>

namespace penstock {

StatusOr<size_t> SpaceRuns::Find(std::string_view text, size_t from,
                                 std::span<Found> found) const {
  size_t count = 0;
  while (count < found.size()) {
    const size_t begin = text.find("  ", from);
    if (begin == std::string_view::npos) break;
    from = std::min(text.find_first_not_of(' ', begin), text.size());
    found[count++] = {begin, from};
  }
  return count;
}

}  // namespace penstock
