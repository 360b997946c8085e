// Finds the tokens that a text begins with, character by character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/char_cuts.h"
#include "tokenizer/vocabulary/stored_tables.h"
#include "tokenizer/vocabulary/table.h"
#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {

// Of the tokens that are characters of three bytes, maybe behind one of one or
// two. A character is the 16 bits that it spells.
//
//   node   its character, 16 bits; one more than its token, 21; where its
//          children are, 22; how many places they have, as a power of two, 5.
//          A root has its character by where it is; no other node is 0.
//
// A child is at the place that its character hashes to, or behind it; among the
// places is a free one.
//
// Memory:  512 KiB, and 8 to 24 bytes for each distinct beginning with two and
//          more characters.
//
// Threads: any number at a time, once made.
class CharTrie {
 public:
  using Char = CharCuts::Char;
  // Of characters of one or two bytes are those below.
  static constexpr Char kEndOfNarrow = 0x800;

  class Node {
   public:
    bool exists() const { return bits_ != 0; }
    bool goes_on() const { return (bits_ & kMaxRoom) != 0; }
    // kNoToken where none ends here.
    TokenId id() const {
      return static_cast<TokenId>((bits_ >> kIdAt & kMaxId) - 1);
    }

   private:
    friend class CharTrie;
    explicit Node(uint64_t bits) : bits_(bits) {}
    uint64_t bits_;
  };

  // The character of one or two bytes that is `text`, if it is one.
  static std::optional<Char> NarrowChar(std::string_view text);
  // Whether one is made of tokens like this.
  static bool MayHave(std::string_view token) {
    return CharCuts::MayCut(token) || token.size() <= CharCuts::kCharBytes;
  }

  // Without tokens.
  CharTrie() = default;
  // Of those of `tokens` that are of its form. Without any, if fewer than one
  // in 32 of the vocabulary's has several characters: text then has few.
  CharTrie(const Vocabulary& vocabulary, std::span<const TokenId> tokens);

  bool empty() const { return roots_.empty(); }
  // Unless empty(). Need not exist.
  Node At(Char c) const { return Node(roots_[c]); }
  // Of a node that exists: its child, which need not.
  Node ChildOf(Node node, Char c) const {
    const uint64_t* const children =
        &children_[node.bits_ >> kPlaceAt & kMaxPlace];
    const uint32_t mask = (1u << (node.bits_ & kMaxRoom)) - 1;
    for (uint32_t place = HashOf(c);; ++place) {
      const uint64_t child = children[place & mask];
      if (child >> kCharAt == c || child == 0) return Node(child);
    }
  }

  // What Load makes a trie of again, that looks where `from` does.
  void Save(TableWriter& to) const;
  static CharTrie Load(TableReader& from);

 private:
  class Builder;

  static constexpr int kCharAt = 48;
  static constexpr int kIdAt = 27;
  static constexpr int kPlaceAt = 5;
  static constexpr uint64_t kMaxId = (uint64_t{1} << 21) - 1;
  static constexpr uint64_t kMaxPlace = (uint64_t{1} << 22) - 1;
  static constexpr uint64_t kMaxRoom = (uint64_t{1} << kPlaceAt) - 1;

  static uint32_t HashOf(Char c) { return c * 0x9e3779b1u >> 16; }

  Table<uint64_t> roots_;     // by character
  Table<uint64_t> children_;  // the first place is for those who have none
};

}  // namespace penstock
