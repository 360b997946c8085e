#include "tokenizer/bpe/part_encoder.h"

#include <bit>
#include <cstdint>

namespace penstock {

void PartEncoder::Encode(std::string_view piece) {
  CharCuts::Run run;
  size_t begin = 0;  // of the part that has no end yet
  for (size_t at = 0; at < piece.size();) {
    cuts_.Read(piece.substr(at), run);
    TokenId* out = known_.data();
    for (uint64_t cuts = run.cuts; cuts != 0; cuts &= cuts - 1) {
      const size_t last = std::countr_zero(cuts);
      const size_t end = at + (last + 1) * CharCuts::kCharBytes;
      const std::string_view part = piece.substr(begin, end - begin);
      out = part.size() == CharCuts::kCharBytes
                ? PutChar(run.chars[last], part, out)
                : PutPart(part, out);
      begin = end;
    }
    Flush(out);
    // The last of a full run may be cut from what follows.
    at += run.count == CharCuts::kMostRead
              ? (run.count - 1) * CharCuts::kCharBytes
              : run.count * CharCuts::kCharBytes + 1;
  }
  if (begin == 0) {
    bpe_.Encode(piece, memory_.neighbours, ids_);
  } else {
    Flush(PutPart(piece.substr(begin), known_.data()));
  }
}

inline TokenId* PartEncoder::PutChar(CharCuts::Char c, std::string_view part,
                                     TokenId* out) {
  const size_t count = memory_.chars.CopyTo(c, out);
  if (count == 0) [[unlikely]] {
    memory_.chars.Set(c, EncodeNew(part, out));
    return known_.data();
  }
  return out + count;
}

TokenId* PartEncoder::PutPart(std::string_view part, TokenId* out) {
  if (part.size() > PieceCache::kMaxPieceBytes) {
    EncodeNew(part, out);
    return known_.data();
  }
  const PieceKey key = PieceKey::Of(part);
  const PieceCache::Hash hash = PieceCache::HashOf(key);
  const auto* const entry = memory_.pieces.pieces().Find(key, hash);
  if (entry != nullptr && !entry->ids().is_elsewhere()) {
    const PieceIds known = entry->ids();
    known.CopyTo(out);
    return out + known.count();
  }
  const std::span<const TokenId> ids = EncodeNew(part, out);
  if (ids.size() <= PieceCache::kMaxIds) {
    memory_.pieces.pieces().Insert(memory_.pieces.reader(), key, hash, ids);
  }
  return known_.data();
}

std::span<const TokenId> PartEncoder::EncodeNew(std::string_view part,
                                                const TokenId* out) {
  Flush(out);
  const size_t first = ids_.size();
  bpe_.Encode(part, memory_.neighbours, ids_);
  return std::span(ids_).subspan(first);
}

void PartEncoder::Flush(const TokenId* out) {
  ids_.insert(ids_.end(), static_cast<const TokenId*>(known_.data()), out);
}

}  // namespace penstock
