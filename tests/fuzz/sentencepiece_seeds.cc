#include "tests/fuzz/seeds.h"
#include "tests/tokenizer/sentencepiece/tiny_sentencepiece.h"

namespace penstock::testing {

std::vector<std::string> FuzzSeeds() {
  using Type = SentencePieceModel::Type;
  const std::string text = "ab A foo abab \xe6\x97\xa5\xe6\x9c\xac\xff d\t";
  const std::string head = {static_cast<char>(text.size()), '\0'};
  std::vector<std::string> seeds;
  for (const TinySentencePiece& model :
       {TinySentencePiece{.rules = {{"A", "a"}}},
        TinySentencePiece{.type = Type::kBpe, .whitespace_is_suffix = true},
        TinySentencePiece{.type = Type::kChar, .byte_fallback = true},
        TinySentencePiece{.type = Type::kWord,
        .decoding_rules = {{"a", "A"}}}}) {
    seeds.push_back(head + text + model.Bytes());
  }
  return seeds;
}

}  // namespace penstock::testing
