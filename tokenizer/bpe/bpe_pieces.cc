// How bpe_tokenizer.h encodes one piece, also with merges left out.
#include <string_view>
#include <vector>

#include "tokenizer/bpe/bpe_tokenizer.h"
#include "tokenizer/bpe/part_encoder.h"
#include "tokenizer/bpe/short_merge.h"

namespace penstock {

// How the ids of a new piece are found, in a batch of so many.
NewPieces::Way BpeTokenizer::WayOf(std::string_view piece,
                                   size_t pieces) const {
  if (merges_in_lanes_ && pieces >= NewPieces::kManyPieces &&
      piece.size() <= LaneMerges::kMostBytes && MergingIsRight(piece) &&
      !CharCuts::MayCut(piece)) {
    return NewPieces::Way::kMerged;
  }
  if (CharCuts::MayCut(piece) && MergingIsRight(piece) &&
      bpe_.cuts() != nullptr && !bpe_.chars().empty()) {
    return NewPieces::Way::kParts;
  }
  return MayBeToken(piece) ? NewPieces::Way::kToken : NewPieces::Way::kAlone;
}

// Whether a token that is the piece is what merging gives, or does not count.
bool BpeTokenizer::MergingIsRight(std::string_view piece) const {
  return !parts_.whole_pieces_first || bpe_.MakesTokenOf(piece);
}

// Whether the token that is the piece, if there is one, is its encoding and
// looked for first. Many a new piece is a token: that is soon found out, of a
// longer one by who looks for the tokens that it begins with.
bool BpeTokenizer::MayBeToken(std::string_view piece) const {
  return bpe_.MakesTokenOf(piece) ? piece.size() <= kMostMergedBytes
                                  : parts_.whole_pieces_first;
}

void BpeTokenizer::EncodePiece(Memory& memory, const Drawing* drawing,
                               std::string_view piece,
                               std::vector<TokenId>& ids) const {
  if (drawing != nullptr) {
    std::vector<BpeSymbol> symbols = bpe_.SymbolsOf(piece);
    const Dropout dropout = {drawing->alpha, drawing->draws};
    MergeByHeap(Merges(), &dropout, symbols);
    return AppendIds(symbols, ids);
  }
  if (MayBeToken(piece)) {
    if (const auto id = parts_.vocabulary.Find(piece)) {
      ids.push_back(*id);
      return;
    }
  }
  EncodeByMerges(memory, piece, ids);
}

void BpeTokenizer::EncodeByMerges(Memory& memory, std::string_view piece,
                                  std::vector<TokenId>& ids) const {
  if (!CharCuts::MayCut(piece) || bpe_.cuts() == nullptr) {
    return bpe_.Encode(piece, memory.neighbours, ids);
  }
  PartEncoder(bpe_, {memory, memory.chars, memory.neighbours}, memory.alone)
      .Encode(piece, ids);
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
