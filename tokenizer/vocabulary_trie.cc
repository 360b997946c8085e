#include "tokenizer/vocabulary_trie.h"

#include <string_view>
#include <utility>
#include <vector>

namespace penstock {

absl::StatusOr<PieceTrie> TrieOf(const Vocabulary& vocabulary) {
  std::vector<std::pair<std::string_view, TokenId>> pieces;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.Has(id)) continue;
    const std::string_view bytes = vocabulary.BytesOf(id);
    if (!bytes.empty() && vocabulary.Find(bytes) == id) {
      pieces.emplace_back(bytes, id);
    }
  }
  return PieceTrie::Build(std::move(pieces));
}

}  // namespace penstock
