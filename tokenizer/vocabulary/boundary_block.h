// What the next 64 bytes tell of where no piece can cross them.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tokenizer/vocabulary/stored_tables.h"

namespace penstock {

// Which ASCII characters stand side by side in some piece. Characters that
// stand behind the same ones are a group; what finds no group of its own
// shares the last, and then stands behind more characters than it does.
//
// Memory:  36 KiB.
//
// Threads: any number at a time.
class AsciiPairs {
 public:
  static constexpr size_t kChars = 128;
  // By character: those that it stands behind.
  using Befores = std::array<std::bitset<kChars>, kChars>;

  AsciiPairs() = default;  // none
  explicit AsciiPairs(const Befores& befores);

  // What Load makes them of again.
  void Save(TableWriter& to) const;
  static AsciiPairs Load(TableReader& from);

  // Bit i: whether at[i] and at[i + 1] do, not to be asked of other bytes than
  // ASCII.
  uint64_t JoinedPlainly(const char* at) const;

 private:
  friend struct BoundaryBlock;

  // Characters that stand behind none are of the first group, which none
  // stands before.
  static constexpr size_t kGroups = 64;
  // Eight groups, a bit for each.
  static constexpr size_t kPlanes = kGroups / 8;
  using Plane = std::array<uint8_t, kChars>;  // by character

  // What follows from the rows and groups.
  void FindPairs();

  std::array<uint64_t, kChars> rows_{};   // the groups it stands before
  std::array<uint8_t, kChars> groups_{};  // its own
  size_t planes_ = 0;                     // that have any
  alignas(64) std::array<Plane, kPlanes> row_planes_{};
  alignas(64) std::array<Plane, kPlanes> group_planes_{};
  // By both characters, the lowest byte first: 0 or 1.
  std::vector<uint8_t> joined_ = std::vector<uint8_t>(1 << 15);
};

// Looks at kBytes bytes and two more, all of which must be readable. Bit i is
// of byte i.
struct BoundaryBlock {
  static constexpr size_t kBytes = 64;

  // With the widest instructions that the processor has.
  BoundaryBlock(const char* at, const AsciiPairs& pairs);

  // That it and the next one are a pair; not to be asked of other bytes than
  // ASCII.
  uint64_t joined = 0;
  uint64_t wide = 0;    // not ASCII
  uint64_t trails = 0;  // within a character, not its first
  uint64_t spaces = 0;  // where U+2581 begins

 private:
  void LookPlainly(const char* at, const AsciiPairs& pairs);
#if defined(__x86_64__)
  void LookByAvx512(const char* at, const AsciiPairs& pairs);
#endif
};

}  // namespace penstock
