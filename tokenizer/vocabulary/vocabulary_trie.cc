#include "tokenizer/vocabulary/vocabulary_trie.h"

#include <string_view>

#include "formats/files/status_or.h"
#include "tokenizer/vocabulary/piece_trie_builder.h"

namespace penstock {
namespace {

PieceTrieBuilder FoundTokens(const Vocabulary& vocabulary) {
  PieceTrieBuilder tokens;
  tokens.Reserve(vocabulary.tokens());
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.Has(id)) continue;
    const std::string_view bytes = vocabulary.BytesOf(id);
    if (!bytes.empty() &&
        (vocabulary.FindsAll() || vocabulary.Find(bytes) == id)) {
      tokens.Add(bytes, id);
    }
  }
  return tokens;
}

}  // namespace

StatusOr<PieceTrie> TrieOf(const Vocabulary& vocabulary) {
  return FoundTokens(vocabulary).Build();
}

StatusOr<TokenTrie> TokenTrieOf(const Vocabulary& vocabulary) {
  constexpr auto kNone = static_cast<TokenId>(PieceTrie::kNoPiece);
  TokenTrie tokens = {.trie = {}, .shorter = {}};
  tokens.shorter.assign(vocabulary.size(), kNone);
  PENSTOCK_ASSIGN_OR_RETURN(tokens.trie,
                            FoundTokens(vocabulary).Build(tokens.shorter));
  return tokens;
}

}  // namespace penstock
