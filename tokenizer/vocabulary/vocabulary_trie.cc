#include "tokenizer/vocabulary/vocabulary_trie.h"

#include <string_view>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

std::vector<std::pair<std::string_view, TokenId>> FoundTokens(
    const Vocabulary& vocabulary) {
  std::vector<std::pair<std::string_view, TokenId>> tokens;
  tokens.reserve(vocabulary.tokens());
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.Has(id)) continue;
    const std::string_view bytes = vocabulary.BytesOf(id);
    if (!bytes.empty() &&
        (vocabulary.FindsAll() || vocabulary.Find(bytes) == id)) {
      tokens.emplace_back(bytes, id);
    }
  }
  return tokens;
}

}  // namespace

StatusOr<PieceTrie> TrieOf(const Vocabulary& vocabulary) {
  return PieceTrie::Build(FoundTokens(vocabulary));
}

StatusOr<TokenTrie> TokenTrieOf(const Vocabulary& vocabulary) {
  constexpr auto kNone = static_cast<TokenId>(PieceTrie::kNoPiece);
  TokenTrie tokens = {.trie = {}, .shorter = {}};
  tokens.shorter.assign(vocabulary.size(), kNone);
  PENSTOCK_ASSIGN_OR_RETURN(
      tokens.trie, PieceTrie::Build(FoundTokens(vocabulary), tokens.shorter));
  return tokens;
}

}  // namespace penstock
