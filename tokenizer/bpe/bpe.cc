#include "tokenizer/bpe/bpe.h"

#include <utility>

#include "tokenizer/bpe/short_merge.h"

namespace penstock {

Bpe Bpe::FromMerges(const Vocabulary& vocabulary, MergeTable merges) {
  std::optional<TokenMatcher> matcher;
  if (auto tokens = TokenTrieOf(vocabulary); tokens.ok()) {
    if (auto derivations = Derivations::FromMerges(vocabulary, merges)) {
      matcher.emplace(vocabulary, *std::move(derivations), *std::move(tokens));
    }
  }
  return Bpe(vocabulary, std::move(matcher), std::move(merges));
}

Bpe Bpe::FromRanks(const Vocabulary& vocabulary) {
  std::optional<TokenMatcher> matcher;
  if (auto tokens = TokenTrieOf(vocabulary); tokens.ok()) {
    if (auto derivations =
            Derivations::FromRanks(vocabulary, tokens->shorter)) {
      matcher.emplace(vocabulary, *std::move(derivations), *std::move(tokens));
    }
  }
  MergeTable merges;
  if (!matcher) merges = MergesByRank(vocabulary);
  return Bpe(vocabulary, std::move(matcher), std::move(merges));
}

Bpe::Bpe(const Vocabulary& vocabulary, std::optional<TokenMatcher> matcher,
         MergeTable merges)
    : matcher_(std::move(matcher)),
      merges_(std::move(merges)),
      makes_every_token_(matcher_ && matcher_->has_every_token()) {
  for (size_t byte = 0; byte < 256; ++byte) {
    const char spelled = static_cast<char>(byte);
    byte_ids_[byte] = vocabulary.Find({&spelled, 1}).value_or(kNoToken);
  }
}

std::vector<BpeSymbol> Bpe::SymbolsOf(std::string_view piece) const {
  std::vector<BpeSymbol> symbols;
  symbols.reserve(piece.size());
  for (const char c : piece) {
    symbols.push_back({ByteId(static_cast<unsigned char>(c)), 1});
  }
  return symbols;
}

void Bpe::Encode(std::string_view piece, Neighbours& neighbours,
                 std::vector<TokenId>& ids) const {
  if (piece.empty()) return;
  if (!matcher_) return EncodeByMerging(piece, ids);
  if (piece.size() <= kMostMergedBytes) {
    return MergeShort(matcher_->derivations(), byte_ids_.data(), piece, ids);
  }
  matcher_->Encode(piece, neighbours, ids);
}

void Bpe::EncodeByMerging(std::string_view piece,
                          std::vector<TokenId>& ids) const {
  std::vector<BpeSymbol> symbols = SymbolsOf(piece);
  MergeByHeap(merges_, nullptr, symbols);
  AppendIds(symbols, ids);
}

}  // namespace penstock
