// The trie of a vocabulary's tokens.
#pragma once

#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/vocabulary/piece_trie.h"
#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {

// Of the tokens that `vocabulary` finds, but for the empty one.
// Errors:  kResourceExhausted above PieceTrie's size.
StatusOr<PieceTrie> TrieOf(const Vocabulary& vocabulary);

struct TokenTrie {
  PieceTrie trie;
  // By id: the longest other token that the token begins with, or kNoPiece.
  std::vector<TokenId> shorter;
};

// The same, with what each token begins with.
StatusOr<TokenTrie> TokenTrieOf(const Vocabulary& vocabulary);

}  // namespace penstock
