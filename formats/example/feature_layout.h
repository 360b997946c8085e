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
// Memory:  128 bytes for each name, at most 256 names of at most 100 bytes.
class FeatureLayout {
 public:
  static constexpr size_t kMostNameBytes = 100;

  struct Name {
    uint32_t begin_size = UINT32_MAX;  // of `begin`
    uint32_t place = 0;                // whatever was remembered with it
    std::array<uint64_t, 2> mask;      // of the first 16 bytes of `begin`
    // How its entry begins as every writer makes it: 0a, size, name; then 0.
    std::array<char, 2 + kMostNameBytes> begin;

    std::string_view name() const { return {begin.data() + 2, begin_size - 2}; }
  };

  // The entry `ordinal` if `entry` begins as it did, else null. Null too where
  // fewer than 16 bytes lie before `readable_end`.
  const Name* MatchEntry(size_t ordinal, std::string_view entry,
                         const char* readable_end) const {
    if (ordinal >= names_.size() || readable_end - entry.data() < 16) {
      return nullptr;
    }
    const Name& known = names_[ordinal];
    if (entry.size() < known.begin_size) return nullptr;
    uint64_t is[2], was[2];
    std::memcpy(is, entry.data(), 16);
    std::memcpy(was, known.begin.data(), 16);
    if ((((is[0] ^ was[0]) & known.mask[0]) |
         ((is[1] ^ was[1]) & known.mask[1])) != 0) {
      return nullptr;
    }
    return known.begin_size <= 16 ||
                   std::memcmp(entry.data() + 16, known.begin.data() + 16,
                               known.begin_size - 16) == 0
               ? &known
               : nullptr;
  }

  // The entry `ordinal` if it has this name, else null.
  const Name* Match(size_t ordinal, std::string_view name) const;

  void Remember(size_t ordinal, std::string_view name, uint32_t place);
  // Forgets the entries from `count` on.
  void Truncate(size_t count) {
    if (count < names_.size()) names_.resize(count);
  }

 private:
  // So that no lookup divides or multiplies.
  static_assert(sizeof(Name) == 128);

  std::vector<Name> names_;
};

}  // namespace penstock
