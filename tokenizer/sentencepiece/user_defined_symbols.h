// Pieces that the user wants found in text as they are written.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "tokenizer/vocabulary/piece_trie.h"
#include "tokenizer/vocabulary/stored_tables.h"

namespace penstock {

// Threads: any number at a time.
class UserDefinedSymbols {
 public:
  UserDefinedSymbols() = default;
  // `trie` holds the symbols; `leads` are the bytes they begin with.
  UserDefinedSymbols(PieceTrie trie, const std::array<bool, 256>& leads)
      : trie_(std::move(trie)), leads_(leads) {
    empty_ = std::none_of(leads.begin(), leads.end(), [](bool b) { return b; });
  }

  // What Load makes them of again, that look where `from` does.
  void Save(TableWriter& to) const {
    trie_.Save(to);
    for (const bool lead : leads_) to.PutNumber(lead);
  }
  static UserDefinedSymbols Load(TableReader& from) {
    PieceTrie trie = PieceTrie::Load(from);
    std::array<bool, 256> leads;
    for (bool& lead : leads) lead = from.Number() != 0;
    return UserDefinedSymbols(std::move(trie), leads);
  }

  bool empty() const { return empty_; }
  bool BeginsWith(unsigned char byte) const { return leads_[byte]; }

  // The bytes of the longest of the first 64 symbols that begin [at, end), not
  // empty: sentencepiece looks at no more. 0: none does.
  size_t Longest(const char* at, const char* end) const {
    if (!leads_[static_cast<unsigned char>(*at)]) return 0;
    size_t longest = 0;
    PieceTrie::Node node = PieceTrie::Root();
    int32_t id;
    int found = 0;
    for (const char* p = at; p != end; ++p) {
      if (!trie_.Step(node, static_cast<unsigned char>(*p), id)) break;
      if (id == PieceTrie::kNoPiece) continue;
      longest = p + 1 - at;
      if (++found == 64) break;
    }
    return longest;
  }

 private:
  PieceTrie trie_;
  std::array<bool, 256> leads_{};
  bool empty_ = true;
};

// For texts that have none.
inline const UserDefinedSymbols& NoSymbols() {
  static const UserDefinedSymbols kNone;
  return kNone;
}

}  // namespace penstock
