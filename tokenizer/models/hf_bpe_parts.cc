// Of hf_bpe.h: texts cut into parts that are remembered.
#include <algorithm>
#include <vector>

#include "formats/files/status.h"
#include "tokenizer/models/hf_bpe_scratch.h"

namespace penstock {

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
  PieceSink sink(scratch->no_rule, piece.size(), ids);
  PartReader reader(text.text(), boundaries_, known_.parts, scratch->reader);
  Status status;
  for (auto parts = reader.Next(); status.ok() && !parts.empty();
       parts = reader.Next()) {
    status = EncodeSome(parts, *scratch, sink);
  }
  scratch->GiveBackLong();
  return status;
}

Status HfBpe::EncodeSome(std::span<const PartReader::Part> parts,
                         Scratch& scratch, PieceSink& sink) const {
  for (const PartReader::Part& part : parts) {
    const PartIds* const known =
        part.set == nullptr ? nullptr : PartCache::Find(part.set, part.key);
    if (known != nullptr) {
      sink.PutSome(known->ids, known->count, /*is_unknown=*/false);
      continue;
    }
    PENSTOCK_RETURN_IF_ERROR(EncodeNewPart(part, scratch, sink));
  }
  return OkStatus();
}

Status HfBpe::EncodeNewPart(const PartReader::Part& part, Scratch& scratch,
                            PieceSink& sink) const {
  std::vector<Symbol>& symbols = scratch.symbols;
  symbols.clear();
  PENSTOCK_RETURN_IF_ERROR(MergedSymbolsOf(part.text, symbols));
  PartEntry::Content added = {part.key, {}};
  size_t count = 0;
  for (const Symbol& symbol : symbols) {
    if (symbol.size == 0) continue;
    sink.Put(symbol.id);
    if (count < PartIds::kMost) added.ids.ids[count] = symbol.id;
    ++count;
  }
  if (part.set != nullptr && count > 0 && count <= PartIds::kMost) {
    added.ids.count = static_cast<uint8_t>(count);
    known_.parts.Insert(scratch.inserter, part.set, added);
  }
  return OkStatus();
}

}  // namespace penstock
