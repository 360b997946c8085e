#include "pipeline/fingerprint.h"

#include <cstddef>

namespace penstock {

Fingerprinter& Fingerprinter::Add(std::string_view text) {
  Add(text.size());
  for (size_t i = 0; i < text.size(); i += 8) {
    uint64_t word = 0;
    for (size_t j = i; j < text.size() && j < i + 8; ++j) {
      word |= uint64_t{static_cast<unsigned char>(text[j])} << (8 * (j - i));
    }
    Add(word);
  }
  return *this;
}

}  // namespace penstock
