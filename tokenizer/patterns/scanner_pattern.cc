#include "tokenizer/patterns/scanner_pattern.h"

#include <algorithm>
#include <array>

namespace penstock {

StatusOr<size_t> ScannerPattern::Find(std::string_view text, size_t from,
                                      std::span<Found> found) const {
  std::array<size_t, 256> ends;
  size_t count = 0;
  while (count < found.size() && from < text.size()) {
    const size_t wanted = std::min(found.size() - count, ends.size());
    const size_t some =
        scanner_->Split(text, from, std::span(ends).first(wanted));
    for (size_t i = 0; i < some; ++i) {
      found[count++] = {from, ends[i]};
      from = ends[i];
    }
  }
  return count;
}

}  // namespace penstock
