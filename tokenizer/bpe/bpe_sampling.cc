// How bpe_tokenizer.h leaves merges out.
#include <vector>

#include "tokenizer/bpe/bpe_tokenizer.h"

namespace penstock {

void BpeTokenizer::EncodeWithDropout(const Drawing& drawing,
                                     std::string_view piece,
                                     std::vector<TokenId>& ids) const {
  std::vector<BpeSymbol> symbols = bpe_.SymbolsOf(piece);
  const Dropout dropout = {drawing.alpha, drawing.draws};
  MergeByHeap(Merges(), &dropout, symbols);
  AppendIds(symbols, ids);
}

const MergeTable& BpeTokenizer::Merges() const {
  if (bpe_.merges().size() > 0) return bpe_.merges();
  std::call_once(made_merges_, [&] {
    merges_ = parts_.spelling == Spelling::kByteAlphabet
                  ? MergeTable(bpe_.pairs())
                  : MergesByRank(parts_.vocabulary);
  });
  return merges_;
}

}  // namespace penstock
