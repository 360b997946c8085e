// Of component_tokenizer.h: what becomes of the pieces of a text.
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "formats/files/status_or.h"
#include "tokenizer/bpe/piece_batch.h"
#include "tokenizer/components/component_call.h"

namespace penstock {
namespace {

// Whether each piece begins where the one before ends.
bool CoverText(const Pieces& pieces) {
  uint32_t end = 0;
  for (const Piece piece : pieces.pieces) {
    if (piece.begin != end) return false;
    end = piece.end;
  }
  return true;
}

}  // namespace

// Of a token that the model made of `text`.
uint32_t ComponentTokenizer::SurfaceOf(Call& call, TokenId id,
                                       std::string_view text) const {
  if (id != parts_.model->unknown_as_text()) {
    if (!respelled_.contains(id)) return TokenOrigin::kAsSpelled;
    text = parts_.model->vocabulary().BytesOf(id);
  }
  call.surfaces->emplace_back(text);
  return static_cast<uint32_t>(call.surfaces->size() - 1);
}

Status ComponentTokenizer::EncodePieces(Call& call, Pieces& pieces) const {
  if (parts_.splitter != nullptr) {
    Status status = parts_.splitter->Split(pieces);
    if (!status.ok()) return Annotate(status, "pre_tokenizer");
  }
  // Where words are cut, who cut them is inside.
  const bool visits = cutter_ == nullptr && call.origins == nullptr;
  if (visits && call.drawing == nullptr && pieces.pieces.size() > 1 &&
      CoverText(pieces)) {
    return EncodeBatches(call, pieces);
  }
  std::optional<PieceMemory::Visit> visit;
  for (size_t i = 0; i < pieces.pieces.size(); ++i) {
    if (visits && i % PieceBatch::kMost == 0) visit.emplace(call.memory);
    const Piece piece = pieces.pieces[i];
    const std::string_view text = pieces.TextOf(piece);
    if (call.origins == nullptr) {
      PENSTOCK_RETURN_IF_ERROR(EncodePiece(call, text));
      continue;
    }
    call.spans.clear();
    size_t next = call.ids.size();
    PENSTOCK_RETURN_IF_ERROR(parts_.model->Encode(text, call.ids, &call.spans));
    for (const TokenSpan span : call.spans) {
      const ByteSpan origin = pieces.text.OriginOf(piece.begin + span.begin,
                                                   piece.begin + span.end);
      TokenOrigin& added = call.origins->emplace_back();
      added.begin_byte = origin.begin;
      added.end_byte = origin.end;
      added.word = call.word;
      added.surface = SurfaceOf(call, call.ids[next++],
                                text.substr(span.begin, span.end - span.begin));
    }
    ++call.word;
  }
  return OkStatus();
}

// Of pieces that cover their text.
Status ComponentTokenizer::EncodeBatches(Call& call,
                                         const Pieces& pieces) const {
  PieceBatch batch(pieces.text.text(), call.memory, call.ids);
  std::array<size_t, PieceBatch::kMost> ends;
  std::span<const Piece> rest(pieces.pieces);
  while (!rest.empty()) {
    const auto some = rest.first(std::min(rest.size(), ends.size()));
    std::ranges::transform(some, ends.begin(), &Piece::end);
    const PieceMemory::Visit visit(call.memory);
    PENSTOCK_RETURN_IF_ERROR(batch.Encode(
        some.front().begin, std::span(ends).first(some.size()),
        [](std::string_view) {},
        [&](std::string_view piece, size_t) {
          return parts_.model->Encode(piece, call.ids, nullptr);
        }));
    rest = rest.subspan(some.size());
  }
  return OkStatus();
}

Status ComponentTokenizer::EncodePiece(Call& call,
                                       std::string_view piece) const {
  if (call.drawing != nullptr) {
    return parts_.model->EncodeSampled(piece, *call.drawing, call.ids);
  }
  if (cutter_ != nullptr || piece.size() > PieceCache::kMaxPieceBytes) {
    return parts_.model->Encode(piece, call.ids, nullptr);
  }
  const PieceCache::Key key = PieceKey::Of(piece);
  const PieceCache::Hash hash = PieceCache::HashOf(key);
  const auto* const entry = call.memory.pieces().Find(key, hash);
  // More ids are elsewhere: of a piece that was one of many.
  if (entry != nullptr && !entry->ids().is_elsewhere()) {
    const PieceIds known = entry->ids();
    TokenId ids[PieceCache::kMaxIds];
    known.CopyTo(ids);
    call.ids.insert(call.ids.end(), ids, ids + known.count());
    return OkStatus();
  }
  const size_t first = call.ids.size();
  PENSTOCK_RETURN_IF_ERROR(parts_.model->Encode(piece, call.ids, nullptr));
  const std::span<const TokenId> ids = std::span(call.ids).subspan(first);
  call.memory.pieces().Insert(call.memory.pieces_inserter(), key, hash, ids);
  return OkStatus();
}

}  // namespace penstock
