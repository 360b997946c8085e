#include "tokenizer/regex_pretokenizer.h"

#include <optional>
#include <utility>

#include "formats/status.h"

namespace penstock {

absl::StatusOr<std::unique_ptr<const PreTokenizer>> RegexPreTokenizer::Make(
    std::string_view regex) {
  PENSTOCK_ASSIGN_OR_RETURN(auto pattern, MakeRegexPattern(regex));
  return std::unique_ptr<const PreTokenizer>(
      new RegexPreTokenizer(regex, std::move(pattern)));
}

size_t RegexPreTokenizer::Split(std::string_view text, size_t begin,
                                std::span<size_t> ends) const {
  size_t count = 0;
  // A gap and its match are written together.
  while (begin < text.size() && count + 2 <= ends.size()) {
    const std::optional<TextPattern::Found> found = pattern_->Next(text, begin);
    if (!found) {
      ends[count++] = text.size() | kLeftOut;
      break;
    }
    if (begin < found->begin) ends[count++] = found->begin | kLeftOut;
    ends[count++] = begin = found->end;
  }
  return count;
}

}  // namespace penstock
