// A set of code points, as regular expressions make them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

class CharSet {
 public:
  struct Range {
    uint32_t first, last;

    friend bool operator==(const Range&, const Range&) = default;
  };

  static CharSet Of(uint32_t first, uint32_t last);
  // From one character to another; nullopt unless each set is one character and
  // they are in order.
  static std::optional<CharSet> Between(const CharSet& first,
                                        const CharSet& last);
  // Those with one of `bits`, of hf_unicode.h.
  static CharSet WithBits(uint8_t bits);
  // White_Space.
  static CharSet Spaces();
  // By General_Category: "L", "Lu", "Nd"; nullopt for a name that is none.
  static std::optional<CharSet> Category(std::string_view name);

  void Add(const CharSet& other);
  CharSet Complement() const;
  // Those of both.
  CharSet And(const CharSet& other) const;

  // In order, apart.
  const std::vector<Range>& ranges() const { return ranges_; }
  bool IsAscii() const { return ranges_.empty() || ranges_.back().last < 0x80; }
  // Has its ASCII letters in both cases, and the two others that fold to them.
  CharSet WithBothCases() const;

  // As an RE2 class.
  std::string ToRe2() const;

  friend bool operator==(const CharSet&, const CharSet&) = default;

 private:
  std::vector<Range> ranges_;
};

}  // namespace penstock
