#include "tokenizer/bpe/bpe.h"

#include <algorithm>
#include <utility>

#include "tokenizer/bpe/short_merge.h"

namespace penstock {

Bpe Bpe::FromMerges(const Vocabulary& vocabulary, MergeTable merges) {
  MergePairs pairs(merges.PairsByRank());
  auto matcher = MakeMatcher(vocabulary, pairs);
  if (!matcher) return Bpe(vocabulary, {}, {}, std::move(merges));
  return Bpe(vocabulary, std::move(matcher), std::move(pairs), {});
}

Bpe Bpe::FromRanks(const Vocabulary& vocabulary) {
  auto matcher = MakeMatcher(vocabulary, {});
  if (!matcher) return Bpe(vocabulary, {}, {}, MergesByRank(vocabulary));
  return Bpe(vocabulary, std::move(matcher), {}, {});
}

Bpe::Bpe(const Vocabulary& vocabulary, std::optional<TokenMatcher> matcher,
         MergePairs pairs, MergeTable merges)
    : matcher_(std::move(matcher)),
      pairs_(std::move(pairs)),
      merges_(std::move(merges)) {
  if (matcher_) unmade_ = matcher_->unmade();
  for (size_t byte = 0; byte < 256; ++byte) {
    const char spelled = static_cast<char>(byte);
    byte_ids_[byte] = vocabulary.Find({&spelled, 1}).value_or(kNoToken);
  }
}

void Bpe::Save(TableWriter& soon, TableWriter& later) const {
  soon.PutTable(Table<TokenId>::Of(byte_ids_));
  unmade_.Save(soon);
  soon.PutNumber(pairs_.has_value());
  if (pairs_) soon.PutTable(*pairs_);
  matcher()->Save(later);
}

Bpe Bpe::Load(const Vocabulary& vocabulary, TableReader& soon,
              std::string_view later, uint32_t later_checksum) {
  const auto byte_ids = soon.TakeTable<TokenId>();
  const UnmadeTokens unmade = UnmadeTokens::Load(soon);
  MergePairs pairs;
  if (soon.Number() != 0) pairs = soon.TakeTable<MergeTable::Pair>();
  Bpe bpe(vocabulary, {}, pairs, {});
  // A table made with another hash would not find them.
  soon.Expect(std::ranges::equal(byte_ids, bpe.byte_ids_));
  bpe.unmade_ = unmade;
  bpe.stored_ = std::make_unique<StoredMatcher>(later, later_checksum,
                                                vocabulary, std::move(pairs));
  return bpe;
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
  const TokenMatcher* const matcher = this->matcher();
  if (matcher == nullptr) return EncodeByMerging(piece, ids);
  if (piece.size() <= kMostMergedBytes) {
    return MergeShort(matcher->derivations(), matcher->bytes(), piece, ids);
  }
  matcher->Encode(piece, neighbours, ids);
}

size_t Bpe::MergeIds(std::span<TokenId> ids) const {
  return MergeShort(matcher()->derivations(), ids);
}

void Bpe::EncodeByMerging(std::string_view piece,
                          std::vector<TokenId>& ids) const {
  std::vector<BpeSymbol> symbols = SymbolsOf(piece);
  MergeByHeap(merges_, nullptr, symbols);
  AppendIds(symbols, ids);
}

}  // namespace penstock
