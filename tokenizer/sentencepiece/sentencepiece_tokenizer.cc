#include "tokenizer/sentencepiece/sentencepiece_tokenizer.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/interface/token_origins.h"
#include "tokenizer/unicode/utf8.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

// A workspace that served a larger text is not kept: it may be many times as
// large. Nor is, of what is kept, room for the normalized text of a larger one
// than this: there are up to five bytes for each.
constexpr size_t kKeptTextBytes = size_t{4} << 20;
constexpr size_t kKeptNormalizedBytes = size_t{1} << 20;

Status CheckSize(std::string_view normalized) {
  if (normalized.size() < std::numeric_limits<uint32_t>::max()) {
    return OkStatus();
  }
  return InvalidArgumentError(
      fmt::format("the text has {} bytes after normalization; SentencePiece "
                  "models take less than 4 GiB, so cut it into documents",
                  normalized.size()));
}

}  // namespace

Status SentencePieceTokenizer::CheckRefused(std::string_view text) const {
  const auto match = controls_.FindNext(text, 0);
  if (!match) return OkStatus();
  return RefusedSpecialText(match->token->text, match->begin);
}

Status SentencePieceTokenizer::CheckText(std::string_view text,
                                         EncodeOptions options) const {
  if (options.invalid_utf8 == InvalidUtf8::kRefuse) {
    PENSTOCK_RETURN_IF_ERROR(CheckUtf8(text));
  }
  return options.special_text == SpecialText::kRefuse ? CheckRefused(text)
                                                      : OkStatus();
}

std::unique_ptr<SentencePieceTokenizer::Workspace>
SentencePieceTokenizer::TakeWorkspace() const {
  std::unique_ptr<Workspace> work = workspaces_.Take();
  if (work == nullptr) {
    work = std::make_unique<Workspace>();
    work->scratch = segmenter_->NewScratch();
  }
  return work;
}

StatusOr<std::unique_ptr<SentencePieceTokenizer::Workspace>>
SentencePieceTokenizer::Normalized(std::string_view text,
                                   EncodeOptions options) const {
  PENSTOCK_RETURN_IF_ERROR(CheckTables());
  PENSTOCK_RETURN_IF_ERROR(CheckText(text, options));
  std::unique_ptr<Workspace> work = TakeWorkspace();
  normalizer_->Normalize(text, work->normalized);
  PENSTOCK_RETURN_IF_ERROR(CheckSize(work->normalized.text()));
  return work;
}

void SentencePieceTokenizer::GiveBack(std::unique_ptr<Workspace> work,
                                      size_t text_bytes) const {
  if (text_bytes > kKeptTextBytes) return;
  if (text_bytes > kKeptNormalizedBytes) work->normalized = TextBuffer();
  workspaces_.GiveBack(std::move(work));
}

Status SentencePieceTokenizer::Encode(std::string_view text,
                                      EncodeOptions options,
                                      std::vector<TokenId>& ids) const {
  if (text.empty()) return OkStatus();
  PENSTOCK_ASSIGN_OR_RETURN(auto work, Normalized(text, options));
  const std::string_view normalized = work->normalized.text();
  {
    PieceSink sink(unknown_rule_, normalized.size(), ids);
    segmenter_->Segment(normalized, *work->scratch, sink);
  }
  GiveBack(std::move(work), text.size());
  return CheckTables();
}

Status SentencePieceTokenizer::EncodeSampled(std::string_view text,
                                             EncodeOptions options,
                                             const Sampling& sampling,
                                             std::vector<TokenId>& ids) const {
  PENSTOCK_RETURN_IF_ERROR(CheckBest(sampling.best, /*least=*/0));
  if (text.empty()) return OkStatus();
  PENSTOCK_ASSIGN_OR_RETURN(auto work, Normalized(text, options));
  const std::string_view normalized = work->normalized.text();
  Draws draws(sampling.seed, text);
  {
    PieceSink sink(unknown_rule_, normalized.size(), ids);
    PENSTOCK_RETURN_IF_ERROR(
        segmenter_->Sample(normalized, sampling, draws, *work->scratch, sink));
  }
  GiveBack(std::move(work), text.size());
  return CheckTables();
}

Status SentencePieceTokenizer::EncodeBest(std::string_view text,
                                          EncodeOptions options, size_t count,
                                          std::vector<ScoredIds>& best) const {
  PENSTOCK_RETURN_IF_ERROR(CheckBest(count, /*least=*/1));
  PENSTOCK_ASSIGN_OR_RETURN(auto work, Normalized(text, options));
  std::vector<Segmenter::Way> ways;
  PENSTOCK_RETURN_IF_ERROR(
      segmenter_->Best(work->normalized.text(), count, ways));
  best.clear();
  for (const Segmenter::Way& way : ways) {
    ScoredIds& scored = best.emplace_back();
    scored.score = way.score;
    PieceSink sink(unknown_rule_, text.size(), scored.ids);
    for (const SegmentedPiece& piece : way.pieces) {
      if (piece.id < 0) {
        sink.PutUnknown(piece.text);
      } else {
        sink.Put(static_cast<TokenId>(piece.id));
      }
    }
  }
  GiveBack(std::move(work), text.size());
  return CheckTables();
}

Status SentencePieceTokenizer::EncodeBare(
    std::string_view text, EncodeOptions options, std::vector<TokenId>& ids,
    std::vector<TokenOrigin>& origins,
    std::vector<std::string>& surfaces) const {
  options.invalid_utf8 = InvalidUtf8::kRefuse;
  PENSTOCK_RETURN_IF_ERROR(CheckTables());
  PENSTOCK_RETURN_IF_ERROR(CheckText(text, options));
  PENSTOCK_RETURN_IF_ERROR(CheckSizeForOrigins(text));
  if (text.empty()) return OkStatus();
  std::unique_ptr<Workspace> work = TakeWorkspace();
  std::vector<uint32_t> places;
  normalizer_->NormalizeWithOrigins(text, work->normalized, places);
  const std::string_view normalized = work->normalized.text();
  PENSTOCK_RETURN_IF_ERROR(CheckSize(normalized));
  std::vector<UnknownText> unknown;
  const size_t first = ids.size();
  {
    PieceSink sink(unknown_rule_, normalized.size(), ids, &unknown);
    segmenter_->Segment(normalized, *work->scratch, sink);
  }
  OriginWriter writer(text, origins);
  const auto add = [&](uint32_t begin, uint32_t end) {
    writer.Add(begin, end, TokenOrigin::kNoWord);
  };
  auto next = unknown.begin();
  size_t at = 0;  // in `normalized`
  for (size_t i = first; i < ids.size(); ++i) {
    const uint32_t begin = places[at];
    if (next == unknown.end() || next->place != i) {
      at += tokens_.BytesOf(ids[i]).size();
      add(begin, places[at]);
      continue;
    }
    if (unknown_rule_.as_bytes) {
      // The last byte has all of the text.
      for (size_t byte = 1; byte < next->bytes; ++byte, ++i) add(begin, begin);
      at += next++->bytes;
      add(begin, places[at]);
      continue;
    }
    const size_t unknown_begin = at;
    for (; next != unknown.end() && next->place == i; ++next) {
      at += next->bytes;
    }
    add(begin, places[at]);
    origins.back().surface = static_cast<uint32_t>(surfaces.size());
    surfaces.emplace_back(normalized.substr(unknown_begin, at - unknown_begin));
  }
  GiveBack(std::move(work), text.size());
  return CheckTables();
}

std::optional<TokenId> SentencePieceTokenizer::IdOf(
    std::string_view token) const {
  return tokens_.Find(token);
}

std::optional<std::string> SentencePieceTokenizer::TokenOf(TokenId id) const {
  if (!tokens_.Has(id)) return std::nullopt;
  return std::string(tokens_.BytesOf(id));
}

}  // namespace penstock
