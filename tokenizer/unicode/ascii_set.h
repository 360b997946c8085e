// A set of ASCII characters, for runs of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace penstock {

// Threads: any number at a time, once nothing is added.
class AsciiSet {
 public:
  static constexpr size_t kEnd = 128;
  // c < kEnd.
  void Add(size_t c) {
    rows_[c % 16] = static_cast<uint8_t>(rows_[c % 16] | 1 << c / 16);
  }
  bool Has(unsigned char byte) const {
    return byte < kEnd && (rows_[byte % 16] >> byte / 16 & 1) != 0;
  }

  // The end of the characters from `at` on that the set has. Looks at sixteen
  // bytes at a time, none of which is behind the text.
  size_t EndOfRun(std::string_view text, size_t at) const {
    return end_of_run_(*this, text, at);
  }

 private:
  using EndOfRunFunction = size_t (*)(const AsciiSet&, std::string_view,
                                      size_t);
  static size_t EndOfRunOneByOne(const AsciiSet& set, std::string_view text,
                                 size_t at);
  static size_t EndOfRunBySsse3(const AsciiSet& set, std::string_view text,
                                size_t at);
  static const EndOfRunFunction end_of_run_;  // for this processor

  // By the low four bits of a character; a bit for each of the others.
  alignas(16) std::array<uint8_t, 16> rows_{};
};

}  // namespace penstock
