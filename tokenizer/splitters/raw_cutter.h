// Cuts text that nothing has touched yet where a file's components cannot tell:
// what they make of each part is what they make of it in the text.
//
// Implementations form a star around this header: word_cutter, space_cutter.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace penstock {

// Parts become remembered ids: a word has few spellings, a sentence many.
//
// Threads: any number at a time.
class RawCutter {
 public:
  virtual ~RawCutter() = default;

  // Writes the ends of the next parts after `begin`, as many as `ends` holds,
  // and returns how many: fewer only where the text ended. `text` is UTF-8.
  virtual size_t Split(std::string_view text, size_t begin,
                       std::span<size_t> ends) const = 0;

  // The last U+0020, not at its begin, where `text` is cut whatever follows; 0
  // without one.
  virtual size_t LastCut(std::string_view /*text*/) const { return 0; }
};

}  // namespace penstock
