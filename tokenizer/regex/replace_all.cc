#include "tokenizer/regex/replace_all.h"

#include <utility>

namespace penstock {

void ReplaceAll(std::string_view from, std::string_view to, std::string& text) {
  if (from.empty() || text.find(from) == std::string::npos) return;
  std::string replaced;
  size_t gap = 0;
  for (size_t found; (found = text.find(from, gap)) != std::string::npos;) {
    replaced.append(text, gap, found - gap);
    replaced.append(to);
    gap = found + from.size();
  }
  replaced.append(text, gap);
  text = std::move(replaced);
}

}  // namespace penstock
