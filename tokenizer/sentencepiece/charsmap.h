// SentencePiece's compiled normalization rules: the longest rule that a text
// begins with, and what it becomes.
//
//   uint32 size of the trie in bytes   a multiple of 1024
//   uint32 units of a Darts-clone double array
//   NUL-terminated texts               a rule's value is the offset of one
//
//   unit   inner: bits 0..7 and 31 label, 8 a rule ends here, 9.. offset
//          value: bit 31 set, the rest is the value
//
// All little endian.
// Source:  github.com/s-yata/darts-clone (the double array's layout).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "formats/files/status_or.h"
#include "tokenizer/vocabulary/stored_tables.h"
#include "tokenizer/vocabulary/table.h"

namespace penstock {

// Threads: any number at a time.
class Charsmap {
 public:
  // `blob` is not empty. Afterwards no walk can leave the trie.
  // Errors:  kDataLoss saying which of the layout's rules is broken.
  static StatusOr<Charsmap> Parse(std::string_view blob);

  // One without rules.
  Charsmap() = default;

  struct Match {
    size_t size = 0;       // bytes of the rule; 0: none
    std::string_view out;  // what they become, maybe nothing
  };
  // The longest of the first 32 rules that begin [at, end): sentencepiece
  // looks at no more, and its own maps never have more.
  Match Longest(const char* at, const char* end) const;

  // A place on the way through the rules. There must be some.
  using Node = uint32_t;
  Node Root() const { return OffsetOf(units_[0]); }
  // Goes on by `byte`; `ends` then tells whether a rule ends there. False, and
  // nothing changed, where no rule goes on so.
  bool Step(Node& node, unsigned char byte, bool& ends) const {
    const uint32_t unit = units_[node ^ byte];
    if (LabelOf(unit) != byte) return false;
    node ^= byte ^ OffsetOf(unit);
    ends = HasRule(unit);
    return true;
  }
  bool empty() const { return units_.empty(); }

  // Whether all that rules can become is UTF-8.
  bool GivesUtf8() const { return gives_utf8_; }

  // What Load makes a charsmap of again, that looks where `from` does.
  void Save(TableWriter& to) const;
  static Charsmap Load(TableReader& from);

 private:
  static uint32_t LabelOf(uint32_t unit) { return unit & 0x800000ffu; }
  static bool HasRule(uint32_t unit) { return unit >> 8 & 1; }
  static uint32_t OffsetOf(uint32_t unit) {
    return unit >> 10 << ((unit & 0x200) >> 6);
  }

  // Checks that no walk leaves the trie. Sets gives_utf8_.
  bool IsSound();

  Table<uint32_t> units_;  // none, or at least 256
  Table<char> texts_;      // the last byte is NUL
  bool gives_utf8_ = true;
};

}  // namespace penstock
