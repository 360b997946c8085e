// The names of the features of the row before, in their order. Rows of a file
// mostly have the same ones, so one comparison finds what a name is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace penstock {

// Threads: one at a time.
// Memory:  96 bytes for each name, at most 256 names of at most 64 bytes.
class FeatureLayout {
 public:
  struct Name {
    uint64_t head = 0;  // its first 8 bytes, then the next 8; 0 where it ends
    uint64_t tail = 0;
    uint32_t size = UINT32_MAX;
    uint32_t place = 0;  // whatever was remembered with it
    std::array<char, 64> bytes;
  };

  // The entry `ordinal` if it has this name, else null. The 16 bytes from where
  // the name begins are read if they lie before `readable_end`.
  const Name* Match(size_t ordinal, std::string_view name,
                    const char* readable_end) const {
    if (ordinal >= names_.size()) return nullptr;
    const Name& known = names_[ordinal];
    if (known.size != name.size()) return nullptr;
    if (name.empty() || name.size() > 16 || readable_end - name.data() < 16) {
      return SameBytes(known, name) ? &known : nullptr;
    }
    const Words words = Load16(name);
    return words.head == known.head && words.tail == known.tail ? &known
                                                                : nullptr;
  }

  void Remember(size_t ordinal, std::string_view name, uint32_t place);
  // Forgets the entries from `count` on.
  void Truncate(size_t count) {
    if (count < names_.size()) names_.resize(count);
  }

 private:
  struct Words {
    uint64_t head;
    uint64_t tail;
  };
  // Of a name of 1 to 16 bytes with 16 bytes to read.
  static Words Load16(std::string_view name) {
    uint64_t words[2];
    std::memcpy(words, name.data(), 16);
    const size_t bits = 8 * name.size();
    const auto low = [](size_t n) { return ~uint64_t{0} >> (64 - n); };
    if (bits <= 64) return {words[0] & low(bits), 0};
    return {words[0], words[1] & low(bits - 64)};
  }
  static bool SameBytes(const Name& known, std::string_view name);

  std::vector<Name> names_;
};

}  // namespace penstock
