#include "tokenizer/onig_to_re2.h"

#include "tokenizer/hf_unicode.h"
#include "tokenizer/utf8.h"

namespace penstock {

absl::StatusOr<TranslatedRegex> TranslateOnigToRe2(std::string_view regex) {
  return absl::UnimplementedError(
      "a regular expression we have no scanner for");
}

bool IsAllSpaceRun(std::string_view text, size_t begin, size_t end) {
  for (size_t pos = begin; pos < end;) {
    if (!(hf_unicode::BitsOf(NextChar(text, pos)) & hf_unicode::kSpace)) {
      return false;
    }
  }
  return true;
}

}  // namespace penstock
