#include "tokenizer/components/component_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/components/component_call.h"
#include "tokenizer/components/component_cutters.h"
#include "tokenizer/interface/fingerprint.h"
#include "tokenizer/interface/token_origins.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
ComponentTokenizer::ComponentTokenizer(TokenizerComponents components,
                                       EncodingFrame frame)
    : FramedTokenizer(std::move(frame)),
      parts_(std::move(components)),
      tokens_stop_at_spaces_(parts_.added_tokens.StopAtSpaces()),
      cuts_at_all_spaces_(parts_.splitter != nullptr &&
                          parts_.splitter->CutsAtSpaces() &&
                          (parts_.normalizer == nullptr ||
                           parts_.normalizer->IsLocalAtSpaces())),
      cutter_(CutterFor(parts_)),
      inner_cutter_(cutter_ == nullptr ? CutterInside(parts_) : nullptr),
      replacement_(cutter_ == nullptr ? ReplacementIn(parts_) : std::nullopt) {
  const Vocabulary& vocabulary = parts_.model->vocabulary();
  size_ = vocabulary.size();
  for (const auto& [id, token] : parts_.added_tokens.tokens()) {
    size_ = std::max<size_t>(size_, id + size_t{1});
    if (vocabulary.Has(id) &&
        parts_.added_tokens.SpellingOf(id) != vocabulary.BytesOf(id)) {
      respelled_.insert(id);
    }
  }
}

Status ComponentTokenizer::AppendIdsOf(std::string_view text,
                                       EncodeOptions options,
                                       const Drawing* drawing,
                                       std::vector<TokenId>& ids) const {
  const ThreadSlots<PieceMemory>::Lease memory(memories_, shared_pieces_);
  const bool is_edited =
      parts_.normalizer != nullptr ||
      parts_.added_tokens.Has(AddedTokens::Pass::kNormalized);
  const Alignment alignment =
      parts_.splitter != nullptr && parts_.splitter->NeedsAlignment(is_edited)
          ? Alignment::kKept
          : Alignment::kDropped;
  Call call = {options.special_text, alignment, *memory, ids, nullptr};
  call.drawing = drawing;
  call.begins = options.begins_text;
  PENSTOCK_RETURN_IF_ERROR(CheckTables());
  Status status = EncodeText(call, text);
  PENSTOCK_RETURN_IF_ERROR(CheckTables());
  return status;
}

Status ComponentTokenizer::EncodeBare(
    std::string_view text, EncodeOptions options, std::vector<TokenId>& ids,
    std::vector<TokenOrigin>& origins,
    std::vector<std::string>& surfaces) const {
  PENSTOCK_RETURN_IF_ERROR(CheckUtf8(text));
  const ThreadSlots<PieceMemory>::Lease memory(memories_, shared_pieces_);
  std::vector<TokenId> bare;
  std::vector<TokenOrigin> bare_origins;
  Call call = {options.special_text, Alignment::kKept, *memory, bare,
               &bare_origins,        &surfaces};
  call.begins = options.begins_text;
  PENSTOCK_RETURN_IF_ERROR(CheckTables());
  const Status status = EncodeText(call, text);
  PENSTOCK_RETURN_IF_ERROR(CheckTables());
  PENSTOCK_RETURN_IF_ERROR(status);
  FillCharacterOffsets(text, bare_origins);
  ids.insert(ids.end(), bare.begin(), bare.end());
  origins.insert(origins.end(), bare_origins.begin(), bare_origins.end());
  return OkStatus();
}

Status ComponentTokenizer::EncodeText(Call& call, std::string_view text) const {
  PENSTOCK_RETURN_IF_ERROR(CheckTextSize(text.size()));
  std::string valid;
  if (!IsValidUtf8(text)) {
    valid = ReplaceUtf8Errors(text);
    text = valid;
    PENSTOCK_RETURN_IF_ERROR(CheckTextSize(text.size()));
  }
  constexpr auto kRaw = AddedTokens::Pass::kRaw;
  const bool is_joined =
      replacement_ && call.origins == nullptr && call.drawing == nullptr;
  if (!is_joined && !parts_.added_tokens.Has(kRaw)) {
    return EncodeGap(call, text, 0);
  }
  std::vector<AddedTokens::Part> found;
  PENSTOCK_RETURN_IF_ERROR(
      parts_.added_tokens.Find(text, kRaw, call.special_text, found));
  if (is_joined) return EncodeJoined(call, text, found);
  for (const auto& part : found) {
    const ByteSpan span = {static_cast<uint32_t>(part.begin),
                           static_cast<uint32_t>(part.end)};
    if (part.token != nullptr) {
      AddFound(call, *part.token,
               text.substr(part.begin, span.end - span.begin), span);
    } else {
      PENSTOCK_RETURN_IF_ERROR(EncodeGap(
          call, text.substr(part.begin, part.end - part.begin), span.begin));
    }
    call.begins = true;
  }
  return OkStatus();
}

// `text` is what was found, with the space that it strips.
void ComponentTokenizer::AddFound(Call& call, const AddedToken& token,
                                  std::string_view text,
                                  ByteSpan origin) const {
  call.ids.push_back(token.id);
  if (call.origins == nullptr) return;
  TokenOrigin& added = call.origins->emplace_back();
  added.begin_byte = origin.begin;
  added.end_byte = origin.end;
  added.word = call.word++;
  if (text != parts_.added_tokens.SpellingOf(token.id)) {
    added.surface = static_cast<uint32_t>(call.surfaces->size());
    call.surfaces->emplace_back(text);
  }
}

Status ComponentTokenizer::EncodeGap(Call& call, std::string_view gap,
                                     uint32_t begin) const {
  if (gap.empty()) return OkStatus();
  if (call.origins == nullptr && call.drawing == nullptr) {
    if (cutter_ != nullptr) {
      const size_t first = call.ids.size();
      const bool begins = call.begins;
      const Status status = EncodeParts(call, gap, begin);
      // An error tells a token's offset in the text of which a part is.
      if (status.ok() ||
          !parts_.added_tokens.Has(AddedTokens::Pass::kNormalized)) {
        return status;
      }
      call.ids.resize(first);
      call.begins = begins;
    } else if (inner_cutter_ != nullptr) {
      return EncodeChunks(call, gap, begin);
    }
  }
  return EncodeWhole(call, gap, begin);
}

Status ComponentTokenizer::EncodeChunks(Call& call, std::string_view gap,
                                        uint32_t begin) const {
  while (gap.size() > kChunkBytes) {
    const size_t cut = inner_cutter_->LastCut(gap.substr(0, kChunkBytes));
    if (cut == 0) break;
    PENSTOCK_RETURN_IF_ERROR(EncodeWhole(call, gap.substr(0, cut), begin));
    call.begins = false;
    gap.remove_prefix(cut);
    begin += static_cast<uint32_t>(cut);
  }
  return EncodeWhole(call, gap, begin);
}

// `begin` is where it stands in the user's text.
Status ComponentTokenizer::EncodeParts(Call& call, std::string_view gap,
                                       uint32_t begin) const {
  std::array<size_t, PieceBatch::kMost> ends;
  size_t at = 0;
  if (parts_.splitter->NeedsAlignment(/*is_edited=*/true) ||
      (parts_.normalizer != nullptr && parts_.normalizer->ActsAtBegin())) {
    // What stands first may become something else.
    cutter_->Split(gap, 0, std::span(ends).first(1));
    at = ends[0];
    PENSTOCK_RETURN_IF_ERROR(EncodeWhole(call, gap.substr(0, at), begin));
    call.begins = false;
  }
  PieceBatch batch(gap, call.memory, call.ids);
  while (at < gap.size()) {
    const size_t count = cutter_->Split(gap, at, ends);
    const PieceMemory::Visit visit(call.memory);
    PENSTOCK_RETURN_IF_ERROR(batch.Encode(
        at, std::span(ends).first(count), [](std::string_view) {},
        // It begins with a space, so that it does not matter where it stands.
        [&](auto part, auto) { return EncodeWhole(call, part, 0); },
        [&] { return call.is_to_keep; }));
    at = ends[count - 1];
  }
  return OkStatus();
}

// Of text that is not empty.
Status ComponentTokenizer::EncodeWhole(Call& call, std::string_view text,
                                       uint32_t begin) const {
  call.is_to_keep = true;
  Pieces whole(call.alignment);
  whole.text.Assign(text, begin);
  if (parts_.normalizer != nullptr) {
    Status status = call.begins ? parts_.normalizer->Normalize(whole.text)
                                : parts_.normalizer->NormalizeLater(whole.text);
    if (!status.ok()) return Annotate(status, "normalizer");
  }
  const auto end = static_cast<uint32_t>(whole.text.text().size());
  if (end == 0) return OkStatus();
  constexpr auto kNormalized = AddedTokens::Pass::kNormalized;
  if (!parts_.added_tokens.Has(kNormalized)) {
    whole.pieces.push_back({0, end});
    return EncodePieces(call, whole);
  }
  call.is_to_keep =
      !parts_.added_tokens.MayBeIn(whole.text.text(), kNormalized);
  std::vector<AddedTokens::Part> found;
  PENSTOCK_RETURN_IF_ERROR(parts_.added_tokens.Find(
      whole.text.text(), kNormalized, call.special_text, found));
  for (const auto& part : found) {
    if (part.token != nullptr) {
      AddFound(call, *part.token,
               std::string_view(whole.text.text())
                   .substr(part.begin, part.end - part.begin),
               whole.text.OriginOf(part.begin, part.end));
      continue;
    }
    Pieces pieces(call.alignment);
    pieces.text.AssignPart(whole.text, part.begin, part.end);
    pieces.pieces.push_back({0, static_cast<uint32_t>(part.end - part.begin)});
    PENSTOCK_RETURN_IF_ERROR(EncodePieces(call, pieces));
  }
  return OkStatus();
}

size_t ComponentTokenizer::SafeCut(std::string_view text) const {
  if (!tokens_stop_at_spaces_) return 0;
  if (cuts_at_all_spaces_) {
    const size_t place = text.rfind(' ');
    return place == std::string_view::npos ? 0 : place;
  }
  const auto& cutter = cutter_ != nullptr ? cutter_ : inner_cutter_;
  if (cutter == nullptr) return 0;
  size_t cut = cutter->LastCut(text);
  if (parts_.normalizer == nullptr || !parts_.normalizer->ActsAtBegin()) {
    return cut;
  }
  // What follows a token begins as a text does.
  while (cut > 0 && parts_.added_tokens.MayEnd(text.substr(0, cut))) {
    cut = cutter->LastCut(text.substr(0, cut));
  }
  return cut;
}

uint64_t ComponentTokenizer::Fingerprint() const {
  if (parts_.known_fingerprint) return *parts_.known_fingerprint;
  Fingerprinter print;
  print.Add("components").Add(parts_.fingerprint);
  print.Add(parts_.model->name()).Add(parts_.model->Fingerprint());
  const Vocabulary& vocabulary = parts_.model->vocabulary();
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.Has(id)) continue;
    print.Add(uint64_t{id}).Add(vocabulary.BytesOf(id));
  }
  return print.Finish();
}

std::string ComponentTokenizer::Describe() const {
  return fmt::format("{}, {} ids, {}", parts_.model->name(), size_,
                     parts_.name);
}

}  // namespace penstock
