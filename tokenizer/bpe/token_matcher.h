// Finds the encoding of a piece from left to right.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/bpe/byte_pairs.h"
#include "tokenizer/bpe/derivations.h"
#include "tokenizer/bpe/neighbours.h"
#include "tokenizer/vocabulary/char_cuts.h"
#include "tokenizer/vocabulary/char_trie.h"
#include "tokenizer/vocabulary/piece_trie.h"
#include "tokenizer/vocabulary/stored_tables.h"
#include "tokenizer/vocabulary/table.h"
#include "tokenizer/vocabulary/unmade_tokens.h"
#include "tokenizer/vocabulary/vocabulary.h"
#include "tokenizer/vocabulary/vocabulary_trie.h"

namespace penstock {

// Takes the longest token that the rest begins with and that can be the
// neighbour of the one before; where there is none, takes the one before
// shorter. The first way through is the encoding, as there is only one.
//
// Threads: any number at a time.
class TokenMatcher {
 public:
  // `tokens` is TokenTrieOf(vocabulary).
  TokenMatcher(const Vocabulary& vocabulary, Derivations derivations,
               TokenTrie tokens);

  // Those that the vocabulary finds, but that are not the encoding of their
  // bytes.
  const UnmadeTokens& unmade() const { return unmade_; }

  const Derivations& derivations() const { return derivations_; }
  const BytePairs& bytes() const { return bytes_; }
  const CharCuts& cuts() const { return cuts_; }
  // Of the tokens that some text leads to.
  const CharTrie& chars() const { return chars_; }

  // Appends the ids of `piece`, every byte of which has a token.
  //
  // Cost:    linear in the piece: each place is given up once at most.
  void Encode(std::string_view piece, Neighbours& neighbours,
              std::vector<TokenId>& ids) const;

  // What Load makes a matcher of again, that looks where `from` does.
  void Save(TableWriter& to) const;
  static TokenMatcher Load(TableReader& from);

 private:
  struct Token {
    TokenId shorter = kNoToken;  // the longest that it begins with
    uint32_t size_bytes = 0;
  };

  TokenMatcher(Derivations derivations, PieceTrie trie, Table<Token> tokens,
               CharCuts cuts, CharTrie chars)
      : derivations_(std::move(derivations)),
        trie_(std::move(trie)),
        tokens_(std::move(tokens)),
        cuts_(std::move(cuts)),
        chars_(std::move(chars)),
        bytes_(derivations_.ranks(), ByteIds()) {}

  BytePairs::Ids ByteIds() const;

  TokenId LongestAt(const char* at, const char* end) const;
  template <typename Places>
  void Walk(std::string_view piece, Neighbours& neighbours, Places& closed,
            std::vector<TokenId>& ids) const;

  Derivations derivations_;
  PieceTrie trie_;
  Table<Token> tokens_;
  CharCuts cuts_;
  CharTrie chars_;
  BytePairs bytes_;  // of the first two
  UnmadeTokens unmade_;
};

}  // namespace penstock
