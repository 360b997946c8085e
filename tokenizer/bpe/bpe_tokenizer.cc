#include "tokenizer/bpe/bpe_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/bpe/part_encoder.h"
#include "tokenizer/bpe/short_merge.h"
#include "tokenizer/interface/token_origins.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {

struct BpeTokenizer::Call {
  std::string_view text;
  SpecialText special_text;
  Memory& memory;
  std::vector<TokenId>& ids;
  OriginWriter* origins = nullptr;   // null: ids are all that is asked for
  const Drawing* drawing = nullptr;  // may be null

  size_t OffsetOf(std::string_view part) const {
    return part.data() - text.data();
  }
};

// Text between special tokens, maybe behind a space that was put there.
struct BpeTokenizer::Gap {
  std::string_view text;
  size_t begin;       // in the user's text, of what is the user's
  size_t prefix = 0;  // bytes that are not
  // Says where normalized text came from; null where `text` is the user's.
  const AlignedText* normalized = nullptr;

  // Where text[from, to) came from. A prefixed space is of the character
  // behind it.
  void AddOrigin(size_t from, size_t to, OriginWriter& origins) const {
    from = std::max(from, prefix) - prefix;
    to = std::max(to, prefix + 1) - prefix;
    if (normalized == nullptr) return origins.Add(begin + from, begin + to);
    const ByteSpan span = normalized->OriginOf(from, to);
    origins.Add(span.begin, span.end);
  }
};

Status BpeTokenizer::AppendIdsOf(std::string_view text,
                                 SpecialText special_text,
                                 const Drawing* drawing,
                                 std::vector<TokenId>& ids) const {
  PENSTOCK_RETURN_IF_ERROR(CheckTables());
  const ThreadSlots<Memory>::Lease memory(memories_, pieces_);
  Call call = {text, special_text, *memory, ids};
  call.drawing = drawing;
  PENSTOCK_RETURN_IF_ERROR(EncodeRegion(call, text, 0));
  return CheckTables();
}

Status BpeTokenizer::EncodeBare(std::string_view text, EncodeOptions options,
                                std::vector<TokenId>& ids,
                                std::vector<TokenOrigin>& origins,
                                std::vector<std::string>&) const {
  PENSTOCK_RETURN_IF_ERROR(CheckUtf8(text));
  PENSTOCK_RETURN_IF_ERROR(CheckSizeForOrigins(text));
  PENSTOCK_RETURN_IF_ERROR(CheckTables());
  const size_t first_id = ids.size();
  const size_t first_origin = origins.size();
  const ThreadSlots<Memory>::Lease memory(memories_, pieces_);
  OriginWriter writer(text, origins);
  Call call = {text, options.special_text, *memory, ids, &writer};
  Status status = EncodeRegion(call, text, 0);
  if (status.ok()) status = CheckTables();
  if (!status.ok()) {
    ids.resize(first_id);
    origins.resize(first_origin);
  }
  return status;
}

Status BpeTokenizer::EncodeRegion(Call& call, std::string_view region,
                                  size_t pass) const {
  if (pass == passes_.size()) return EncodeGap(call, region);
  size_t gap_begin = 0;
  size_t pos = 0;
  while (const auto match = passes_[pass].FindNext(region, pos)) {
    pos = match->end;
    if (match->token->special) {
      // Left as text, its span is still used up, as in Hugging Face tokenizers.
      if (call.special_text == SpecialText::kAsText) continue;
      if (call.special_text == SpecialText::kRefuse) {
        return RefusedSpecialText(match->token->text,
                                  call.OffsetOf(region.substr(match->begin)));
      }
    }
    PENSTOCK_RETURN_IF_ERROR(EncodeRegion(
        call, region.substr(gap_begin, match->begin - gap_begin), pass + 1));
    call.ids.push_back(match->token->id);
    gap_begin = match->end;
    if (call.origins != nullptr) {
      const size_t begin = call.OffsetOf(region.substr(match->begin));
      call.origins->Add(begin, begin + match->end - match->begin);
      call.origins->EndWord();
    }
  }
  return EncodeRegion(call, region.substr(gap_begin), pass + 1);
}

bool BpeTokenizer::NeedsNormalizer(const Call& call,
                                   std::string_view gap) const {
  if (parts_.normalizer == nullptr || IsAscii(gap)) return false;
  // Origins are of whole characters where text went through a normalizer.
  return call.origins != nullptr || !IsValidUtf8(gap) ||
         !parts_.normalizer->Keeps(gap);
}

Status BpeTokenizer::EncodeGap(Call& call, std::string_view gap) const {
  if (gap.empty()) return OkStatus();
  Gap cut = {gap, call.OffsetOf(gap)};
  AlignedText normalized(call.origins == nullptr ? Alignment::kDropped
                                                 : Alignment::kKept);
  if (NeedsNormalizer(call, gap)) {
    std::string valid;
    if (!IsValidUtf8(gap)) gap = valid = ReplaceUtf8Errors(gap);
    normalized.Assign(gap, static_cast<uint32_t>(cut.begin));
    PENSTOCK_RETURN_IF_ERROR(parts_.normalizer->Normalize(normalized));
    cut.text = normalized.text();
    cut.normalized = &normalized;
    if (cut.text.empty()) return OkStatus();
  }
  std::string prefixed;
  if (parts_.add_prefix_space && cut.text[0] != ' ') {
    prefixed = " ";
    prefixed += cut.text;
    cut.text = prefixed;
    cut.prefix = 1;
  }
  PENSTOCK_RETURN_IF_ERROR(CheckBytes(call, cut));
  return EncodePieces(call, cut);
}

Status BpeTokenizer::CheckBytes(const Call& call, const Gap& gap) const {
  constexpr size_t kTooLong = 0xffffffff;
  if (gap.text.size() >= kTooLong) {
    return InvalidArgumentError(fmt::format(
        "{} bytes of text at offset {} without a special token; split texts "
        "of 4 GiB or more",
        gap.text.size(), gap.begin));
  }
  if (has_all_bytes_) return OkStatus();
  for (size_t i = 0; i < gap.text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(gap.text[i]);
    if (bpe_.HasByte(byte)) continue;
    return InvalidArgumentError(fmt::format(
        "byte 0x{:02X} at offset {} has no token in {}", byte,
        gap.begin + std::max(i, gap.prefix) - gap.prefix, parts_.name));
  }
  return OkStatus();
}

Status BpeTokenizer::EncodePieces(Call& call, const Gap& gap) const {
  PieceBatch batch(gap.text, call.memory, call.ids);
  const auto encode = [&](size_t begin, std::span<const size_t> ends) {
    return EncodeAll(call, gap, batch, begin, ends);
  };
  const PreTokenizers& pretokenizers = parts_.pretokenizers;
  if (pretokenizers.empty()) {
    const size_t end = gap.text.size();
    return encode(0, {&end, 1});
  }
  return TurnCutter<PieceBatch::kMost, decltype(encode)>(pretokenizers,
                                                         gap.text, encode)
      .Run();
}

Status BpeTokenizer::EncodeAll(Call& call, const Gap& gap, PieceBatch& batch,
                               size_t begin,
                               std::span<const size_t> ends) const {
  const PieceMemory::Visit visit(call.memory);
  const auto is_left_out = [](size_t end) { return (end & kLeftOut) != 0; };
  const bool leaves_some_out =
      leaves_text_out_ && std::any_of(ends.begin(), ends.end(), is_left_out);
  if (leaves_some_out || call.origins != nullptr || call.drawing != nullptr ||
      parts_.pretokenizers.empty()) {
    EncodeOneByOne(call, gap, begin, ends);
    return OkStatus();
  }
  return EncodeSome(call, batch, begin, ends);
}

Status BpeTokenizer::EncodeSome(Call& call, PieceBatch& batch, size_t begin,
                                std::span<const size_t> ends) const {
  Memory& memory = call.memory;
  PartEncoder parts(bpe_, {memory, memory.chars, memory.neighbours},
                    memory.parts);
  NewPieces pieces(parts_.vocabulary, bpe_, memory.merges, parts);
  return batch.Encode(
      begin, ends,
      [&](std::string_view piece) {
        pieces.Add(piece, WayOf(piece, ends.size()));
      },
      [&](std::string_view piece, size_t nth) {
        if (nth == PieceBatch::kUnexpected) {
          EncodePiece(call, piece);
        } else if (const auto ids = pieces.IdsOf(nth)) {
          call.ids.insert(call.ids.end(), ids->begin(), ids->end());
        } else {
          EncodeByMerges(call, piece);
        }
        return OkStatus();
      });
}

void BpeTokenizer::EncodeOneByOne(Call& call, const Gap& gap, size_t begin,
                                  std::span<const size_t> ends) const {
  for (const size_t mark : ends) {
    const size_t end = mark & ~kLeftOut;
    if (end == mark) {
      const size_t first = call.ids.size();
      EncodePiece(call, gap.text.substr(begin, end - begin));
      if (call.origins != nullptr) AddOrigins(call, gap, begin, first);
    }
    begin = end;
  }
}

// Of the piece at `begin`, whose ids are those from `first` on.
void BpeTokenizer::AddOrigins(Call& call, const Gap& gap, size_t begin,
                              size_t first) const {
  for (size_t i = first; i < call.ids.size(); ++i) {
    const size_t end = begin + parts_.vocabulary.BytesOf(call.ids[i]).size();
    gap.AddOrigin(begin, end, *call.origins);
    begin = end;
  }
  call.origins->EndWord();
}

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

void BpeTokenizer::EncodePiece(Call& call, std::string_view piece) const {
  if (call.drawing != nullptr) {
    return EncodeWithDropout(*call.drawing, piece, call.ids);
  }
  if (MayBeToken(piece)) {
    if (const auto id = parts_.vocabulary.Find(piece)) {
      call.ids.push_back(*id);
      return;
    }
  }
  EncodeByMerges(call, piece);
}

void BpeTokenizer::EncodeByMerges(Call& call, std::string_view piece) const {
  Memory& memory = call.memory;
  if (!CharCuts::MayCut(piece) || bpe_.cuts() == nullptr) {
    return bpe_.Encode(piece, memory.neighbours, call.ids);
  }
  PartEncoder(bpe_, {memory, memory.chars, memory.neighbours}, memory.alone)
      .Encode(piece, call.ids);
}

}  // namespace penstock
