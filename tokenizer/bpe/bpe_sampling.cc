// EncodeSampled of bpe_tokenizer.h.
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/bpe/bpe_tokenizer.h"
#include "tokenizer/vocabulary/draws.h"

namespace penstock {

Status BpeTokenizer::EncodeSampled(std::string_view text, EncodeOptions options,
                                   const Sampling& sampling,
                                   std::vector<TokenId>& ids) const {
  PENSTOCK_ASSIGN_OR_RETURN(const double rate,
                            DropoutRate(sampling, parts_.dropout));
  if (rate == 0) return Encode(text, options, ids);
  Draws draws(sampling.seed, text);
  const Dropout dropout = {rate, draws};
  return EncodeWith(&dropout, text, options, ids);
}

void BpeTokenizer::EncodeWithDropout(const Dropout& dropout,
                                     std::string_view piece,
                                     std::vector<TokenId>& ids) const {
  std::vector<BpeSymbol> symbols = bpe_.SymbolsOf(piece);
  MergeByHeap(Merges(), &dropout, symbols);
  AppendIds(symbols, ids);
}

const MergeTable& BpeTokenizer::Merges() const {
  if (parts_.spelling == Spelling::kByteAlphabet) return bpe_.merges();
  std::call_once(made_merges_,
                 [&] { merges_by_rank_ = MergesByRank(parts_.vocabulary); });
  return merges_by_rank_;
}

}  // namespace penstock
