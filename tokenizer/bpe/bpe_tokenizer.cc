#include "tokenizer/bpe/bpe_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/bpe/part_encoder.h"
#include "tokenizer/bpe/short_merge.h"
#include "tokenizer/interface/token_origins.h"
#include "tokenizer/unicode/valid_utf8.h"
#include "tokenizer/vocabulary/token_walk.h"

namespace penstock {

struct BpeTokenizer::Call {
  std::string_view text;
  SpecialText special_text;
  Memory& memory;
  std::vector<TokenId>& ids;
  OriginWriter* origins = nullptr;  // null: ids are all that is asked for
  std::vector<std::string>* surfaces = nullptr;  // null, too
  const Drawing* drawing = nullptr;              // may be null

  // Of a token found as `text`, with the space that it strips.
  void AddOrigin(std::string_view text, ByteSpan span,
                 const SpecialToken& token) {
    TokenOrigin& origin = origins->Add(span.begin, span.end);
    origins->EndWord();
    if (text == token.text) return;
    origin.surface = static_cast<uint32_t>(surfaces->size());
    surfaces->emplace_back(text);
  }
};

// Text between tokens that are found in the user's text.
struct BpeTokenizer::Region {
  std::string_view text;
  size_t begin;  // of what it came from, in the user's text
  // Says where `text` came from; null where it is the user's.
  const AlignedText* normalized = nullptr;

  ByteSpan OriginOf(size_t from, size_t to) const {
    if (normalized != nullptr) return normalized->OriginOf(from, to);
    return {static_cast<uint32_t>(begin + from),
            static_cast<uint32_t>(begin + to)};
  }
  size_t OffsetOf(size_t pos) const {
    return normalized == nullptr ? begin + pos : OriginOf(pos, pos + 1).begin;
  }
};

// Text between all tokens, maybe behind a space that was put there.
struct BpeTokenizer::Gap {
  const Region& region;
  size_t begin;  // in its text, of what is from there
  std::string_view text;
  size_t prefix = 0;  // bytes that are not

  // Where text[from, to) came from. A prefixed space is of the character
  // behind it.
  void AddOrigin(size_t from, size_t to, OriginWriter& origins) const {
    const ByteSpan span =
        region.OriginOf(begin + std::max(from, prefix) - prefix,
                        begin + std::max(to, prefix + 1) - prefix);
    origins.Add(span.begin, span.end);
  }
};

Status BpeTokenizer::AppendIdsOf(std::string_view text, EncodeOptions options,
                                 const Drawing* drawing,
                                 std::vector<TokenId>& ids) const {
  PENSTOCK_RETURN_IF_ERROR(CheckTables());
  const ThreadSlots<Memory>::Lease memory(memories_, pieces_);
  Call call = {text, options.special_text, *memory, ids};
  call.drawing = drawing;
  PENSTOCK_RETURN_IF_ERROR(EncodeText(call));
  return CheckTables();
}

Status BpeTokenizer::EncodeBare(std::string_view text, EncodeOptions options,
                                std::vector<TokenId>& ids,
                                std::vector<TokenOrigin>& origins,
                                std::vector<std::string>& surfaces) const {
  PENSTOCK_RETURN_IF_ERROR(CheckUtf8(text));
  PENSTOCK_RETURN_IF_ERROR(CheckSizeForOrigins(text));
  PENSTOCK_RETURN_IF_ERROR(CheckTables());
  const size_t first_id = ids.size();
  const size_t first_origin = origins.size();
  const ThreadSlots<Memory>::Lease memory(memories_, pieces_);
  OriginWriter writer(text, origins);
  Call call = {text, options.special_text, *memory, ids, &writer, &surfaces};
  Status status = EncodeText(call);
  if (status.ok()) status = CheckTables();
  if (!status.ok()) {
    ids.resize(first_id);
    origins.resize(first_origin);
  }
  return status;
}

// Calls `between(begin, end)` for the text before, between and behind `tokens`.
template <typename Between>
Status BpeTokenizer::EncodeAround(Call& call, const SpecialTokens& tokens,
                                  const Region& region,
                                  Between&& between) const {
  TokenWalk walk(tokens, region.text, call.special_text);
  while (true) {
    const TokenWalk::Step step = walk.Next();
    if (step.refused) {
      return RefusedSpecialText(step.token->text, region.OffsetOf(step.found));
    }
    if (step.gap < step.begin) {
      PENSTOCK_RETURN_IF_ERROR(between(step.gap, step.begin));
    }
    if (step.token == nullptr) return OkStatus();
    if (step.begin == step.end) continue;
    call.ids.push_back(step.token->id);
    if (call.origins != nullptr) {
      call.AddOrigin(region.text.substr(step.begin, step.end - step.begin),
                     region.OriginOf(step.begin, step.end), *step.token);
    }
  }
}

Status BpeTokenizer::EncodeText(Call& call) const {
  return EncodeAround(call, raw_tokens_, {call.text, 0},
                      [&](size_t begin, size_t end) {
                        return EncodeBetween(call, begin, end);
                      });
}

bool BpeTokenizer::NeedsNormalizer(const Call& call,
                                   std::string_view text) const {
  if (parts_.normalizer == nullptr || IsAscii(text)) return false;
  // Origins are of whole characters where text went through a normalizer.
  return call.origins != nullptr || !IsValidUtf8(text) ||
         !parts_.normalizer->Keeps(text);
}

// Of what is between tokens of the user's text, and not empty.
Status BpeTokenizer::EncodeBetween(Call& call, size_t begin, size_t end) const {
  std::string_view text = call.text.substr(begin, end - begin);
  Region region = {text, begin};
  std::optional<AlignedText> normalized;
  if (NeedsNormalizer(call, text)) {
    // Errors tell offsets.
    const bool may_fail =
        !has_all_bytes_ || (call.special_text == SpecialText::kRefuse &&
                            !normalized_tokens_.empty());
    normalized.emplace(call.origins != nullptr || may_fail
                           ? Alignment::kKept
                           : Alignment::kDropped);
    std::string valid;
    if (!IsValidUtf8(text)) text = valid = ReplaceUtf8Errors(text);
    normalized->Assign(text, static_cast<uint32_t>(begin));
    PENSTOCK_RETURN_IF_ERROR(parts_.normalizer->Normalize(*normalized));
    region.text = normalized->text();
    region.normalized = &*normalized;
    if (region.text.empty()) return OkStatus();
  }
  // Short texts pay for each step.
  if (normalized_tokens_.empty()) {
    return EncodeGap(call, region, 0, region.text.size());
  }
  return EncodeAround(call, normalized_tokens_, region,
                      [&](size_t from, size_t to) {
                        return EncodeGap(call, region, from, to);
                      });
}

Status BpeTokenizer::EncodeGap(Call& call, const Region& region, size_t begin,
                               size_t end) const {
  Gap gap = {region, begin, region.text.substr(begin, end - begin)};
  std::string prefixed;
  if (parts_.add_prefix_space && gap.text[0] != ' ') {
    prefixed = " ";
    prefixed += gap.text;
    gap.text = prefixed;
    gap.prefix = 1;
  }
  PENSTOCK_RETURN_IF_ERROR(CheckBytes(gap));
  return EncodePieces(call, gap);
}

Status BpeTokenizer::CheckBytes(const Gap& gap) const {
  constexpr size_t kTooLong = 0xffffffff;
  if (gap.text.size() >= kTooLong) {
    return InvalidArgumentError(fmt::format(
        "{} bytes of text at offset {} without a special token; split texts "
        "of 4 GiB or more",
        gap.text.size(), gap.region.begin + gap.begin));
  }
  if (has_all_bytes_) return OkStatus();
  for (size_t i = 0; i < gap.text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(gap.text[i]);
    if (bpe_.HasByte(byte)) continue;
    return InvalidArgumentError(fmt::format(
        "byte 0x{:02X} at offset {} has no token in {}", byte,
        gap.region.OffsetOf(gap.begin + std::max(i, gap.prefix) - gap.prefix),
        parts_.name));
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
  return TurnCutter<PieceBatch::kMost, decltype(encode)>(
             pretokenizers, turn_masks_, gap.text, encode)
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
          EncodePiece(memory, call.drawing, piece, call.ids);
        } else if (const auto ids = pieces.IdsOf(nth)) {
          call.ids.insert(call.ids.end(), ids->begin(), ids->end());
        } else {
          EncodeByMerges(memory, piece, call.ids);
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
      EncodePiece(call.memory, call.drawing,
                  gap.text.substr(begin, end - begin), call.ids);
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

}  // namespace penstock
