#include "tokenizer/regex/literal_pattern.h"

namespace penstock {

StatusOr<std::unique_ptr<const TextPattern>> LiteralPattern::Make(
    std::string_view literal) {
  if (literal.empty()) {
    return UnimplementedError("an empty pattern, which matches anywhere");
  }
  return std::unique_ptr<const TextPattern>(new LiteralPattern(literal));
}

StatusOr<size_t> LiteralPattern::Find(std::string_view text, size_t from,
                                      std::span<Found> found) const {
  size_t count = 0;
  while (count < found.size()) {
    const size_t begin = text.find(literal_, from);
    if (begin == std::string_view::npos) break;
    from = begin + literal_.size();
    found[count++] = {begin, from};
  }
  return count;
}

}  // namespace penstock
