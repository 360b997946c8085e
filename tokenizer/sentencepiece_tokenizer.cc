#include "tokenizer/sentencepiece_tokenizer.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "formats/status.h"
#include "tokenizer/utf8.h"

namespace penstock {
namespace {

// A workspace that served a larger text is not kept: it may be many times as
// large.
constexpr size_t kKeptTextBytes = size_t{4} << 20;

// As many as sentencepiece gives.
absl::Status CheckBest(size_t count, size_t least) {
  constexpr size_t kMost = 512;
  if (count >= least && count <= kMost) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("the {} best ways to segment a text; choose {} to {}", count,
                  least, kMost));
}

}  // namespace

absl::Status SentencePieceTokenizer::CheckRefused(std::string_view text) const {
  const auto match = controls_.FindNext(text, 0);
  if (!match) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "the text holds the special token \"{}\" at offset {}; remove it, or "
      "allow special tokens or take them as text",
      match->token->text, match->begin));
}

absl::StatusOr<std::unique_ptr<SentencePieceTokenizer::Workspace>>
SentencePieceTokenizer::Normalized(std::string_view text,
                                   EncodeOptions options) const {
  if (options.special_text == SpecialText::kRefuse) {
    PENSTOCK_RETURN_IF_ERROR(CheckRefused(text));
  }
  std::unique_ptr<Workspace> work = workspaces_.Take();
  if (work == nullptr) {
    work = std::make_unique<Workspace>();
    work->scratch = segmenter_->NewScratch();
  }
  normalizer_->Normalize(text, work->normalized);
  const std::string_view normalized = work->normalized.text();
  if (normalized.size() >= std::numeric_limits<uint32_t>::max()) {
    return absl::InvalidArgumentError(
        fmt::format("the text has {} bytes after normalization; SentencePiece "
                    "models take less than 4 GiB, so cut it into documents",
                    normalized.size()));
  }
  return work;
}

void SentencePieceTokenizer::GiveBack(std::unique_ptr<Workspace> work,
                                      size_t text_bytes) const {
  if (text_bytes <= kKeptTextBytes) workspaces_.GiveBack(std::move(work));
}

absl::Status SentencePieceTokenizer::Encode(std::string_view text,
                                            EncodeOptions options,
                                            std::vector<TokenId>& ids) const {
  if (text.empty()) return absl::OkStatus();
  PENSTOCK_ASSIGN_OR_RETURN(auto work, Normalized(text, options));
  const std::string_view normalized = work->normalized.text();
  {
    PieceSink sink(unknown_rule_, normalized.size(), ids);
    segmenter_->Segment(normalized, *work->scratch, sink);
  }
  GiveBack(std::move(work), text.size());
  return absl::OkStatus();
}

absl::Status SentencePieceTokenizer::EncodeSampled(
    std::string_view text, EncodeOptions options, const Sampling& sampling,
    std::vector<TokenId>& ids) const {
  PENSTOCK_RETURN_IF_ERROR(CheckBest(sampling.best, /*least=*/0));
  if (text.empty()) return absl::OkStatus();
  PENSTOCK_ASSIGN_OR_RETURN(auto work, Normalized(text, options));
  const std::string_view normalized = work->normalized.text();
  Draws draws(sampling.seed, text);
  {
    PieceSink sink(unknown_rule_, normalized.size(), ids);
    PENSTOCK_RETURN_IF_ERROR(
        segmenter_->Sample(normalized, sampling, draws, *work->scratch, sink));
  }
  GiveBack(std::move(work), text.size());
  return absl::OkStatus();
}

absl::Status SentencePieceTokenizer::EncodeBest(
    std::string_view text, EncodeOptions options, size_t count,
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
  return absl::OkStatus();
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
