// The trie of a vocabulary's tokens.
#pragma once

#include "absl/status/statusor.h"
#include "tokenizer/piece_trie.h"
#include "tokenizer/vocabulary.h"

namespace penstock {

// Of the tokens that `vocabulary` finds, but for the empty one.
// Errors:  kResourceExhausted above PieceTrie's size.
absl::StatusOr<PieceTrie> TrieOf(const Vocabulary& vocabulary);

}  // namespace penstock
