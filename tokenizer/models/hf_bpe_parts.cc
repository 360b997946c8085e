// Of hf_bpe.h: texts cut into parts that are remembered.
#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "formats/files/status.h"
#include "tokenizer/models/hf_bpe_scratch.h"

namespace penstock {

// Those that no part was behind yet.
class HfBpe::WaitingTokens {
 public:
  WaitingTokens(std::string_view text, std::span<const PlacedToken> tokens)
      : text_(text.data()), tokens_(tokens) {}

  // Not behind `at`.
  void PutBefore(const char* at, PieceSink& sink) {
    for (; !tokens_.empty() && text_ + tokens_.front().place <= at;
         tokens_ = tokens_.subspan(1)) {
      sink.Put(tokens_.front().id);
    }
  }

 private:
  const char* const text_;
  std::span<const PlacedToken> tokens_;
};

bool HfBpe::PartsAreAlone() const {
  if (!options_.continuing_prefix.empty() || !options_.word_suffix.empty()) {
    return false;
  }
  // Characters without tokens bring those on both sides together, or become one
  // with what is behind them.
  return options_.byte_fallback
             ? std::ranges::all_of(byte_tokens_,
                                   [](auto id) { return id.has_value(); })
             : options_.unknown_token.has_value() && !options_.fuse_unknown;
}

PieceBoundaries HfBpe::BoundariesOf() const {
  if (!PartsAreAlone()) return PieceBoundaries();
  // What stands for other text than it spells crosses nobody knows where.
  std::vector<bool> is_other(vocabulary_.size());
  if (unknown_) is_other[*unknown_] = true;
  for (const auto& id : byte_tokens_) {
    if (id) is_other[*id] = true;
  }
  std::vector<std::string_view> merged;
  for (const MergeTable::Pair& pair : merges_.PairsByRank()) {
    if (is_other[pair.left] || is_other[pair.right]) return PieceBoundaries();
    merged.push_back(vocabulary_.BytesOf(pair.merge.merged));
  }
  return PieceBoundaries::Of(merged);
}

void HfBpe::ForgetTexts() const {
  scratches_.Clear();
  known_.Clear();
}

Status HfBpe::EncodeParts(std::string_view piece,
                          std::vector<TokenId>& ids) const {
  const ThreadSlots<Scratch>::Lease scratch(scratches_, known_);
  TextBuffer& text = scratch->text;
  text.Clear();
  text.Reserve(piece.size());
  text.SetEnd(std::ranges::copy(piece, text.end()).out);
  const Status status = EncodeParts(text.text(), {}, *scratch, ids);
  scratch->GiveBackLong();
  return status;
}

Status HfBpe::EncodeBetween(std::string_view text,
                            std::span<const PlacedToken> tokens,
                            std::vector<TokenId>& ids) const {
  const ThreadSlots<Scratch>::Lease scratch(scratches_, known_);
  const Status status = EncodeParts(text, tokens, *scratch, ids);
  scratch->GiveBackLong();
  return status;
}

Status HfBpe::EncodeParts(std::string_view text,
                          std::span<const PlacedToken> tokens, Scratch& scratch,
                          std::vector<TokenId>& ids) const {
  PieceSink sink(scratch.no_rule, text.size() + 2 * tokens.size(), ids);
  PartReader reader(text, boundaries_, known_, scratch.reader, tokens);
  WaitingTokens waiting(text, tokens);
  Status status;
  for (auto parts = reader.Next(); status.ok() && !parts.empty();
       parts = reader.Next()) {
    status = EncodeSome(parts, waiting, scratch, sink);
  }
  waiting.PutBefore(text.data() + text.size(), sink);
  return status;
}

Status HfBpe::EncodeSome(std::span<const PartReader::Part> parts,
                         WaitingTokens& waiting, Scratch& scratch,
                         PieceSink& sink) const {
  for (const PartReader::Part& part : parts) {
    waiting.PutBefore(part.text.data(), sink);
    if (part.set == nullptr) {
      PENSTOCK_RETURN_IF_ERROR(EncodeLongPart(part.text, scratch, sink));
      continue;
    }
    if (const PartIds* const known = PartCache::Find(part.set, part.key)) {
      sink.PutSome(known->ids, known->count, /*is_unknown=*/false);
      continue;
    }
    PENSTOCK_RETURN_IF_ERROR(EncodeNewPart(part.text, scratch, sink));
    const std::vector<TokenId>& ids = scratch.ids;
    if (ids.empty() || ids.size() > PartIds::kMost) continue;
    PartEntry::Content added = {part.key, {}};
    std::ranges::copy(ids, added.ids.ids);
    added.ids.count = static_cast<uint8_t>(ids.size());
    known_.parts.Insert(scratch.inserter, part.set, added);
  }
  return OkStatus();
}

Status HfBpe::EncodeLongPart(std::string_view part, Scratch& scratch,
                             PieceSink& sink) const {
  if (part.size() > LongPieces::kMaxPieceBytes) {
    return EncodeNewPart(part, scratch, sink);
  }
  const uint64_t hash = LongPieces::HashOf(part);
  if (const auto known = known_.long_parts.Find(part, hash)) {
    for (const TokenId id : *known) sink.Put(id);
    return OkStatus();
  }
  PENSTOCK_RETURN_IF_ERROR(EncodeNewPart(part, scratch, sink));
  known_.long_parts.Insert(scratch.long_inserter, part, hash, scratch.ids);
  return OkStatus();
}

Status HfBpe::EncodeNewPart(std::string_view part, Scratch& scratch,
                            PieceSink& sink) const {
  std::vector<Symbol>& symbols = scratch.symbols;
  symbols.clear();
  scratch.ids.clear();
  PENSTOCK_RETURN_IF_ERROR(MergedSymbolsOf(part, symbols));
  AppendIds(symbols, scratch.ids);
  for (const TokenId id : scratch.ids) sink.Put(id);
  return OkStatus();
}

}  // namespace penstock
