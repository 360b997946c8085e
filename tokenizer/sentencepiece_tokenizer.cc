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

}  // namespace

absl::Status SentencePieceTokenizer::CheckRefused(std::string_view text) const {
  const auto match = controls_.FindNext(text, 0);
  if (!match) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "the text holds the special token \"{}\" at offset {}; remove it, or "
      "allow special tokens or take them as text",
      match->token->text, match->begin));
}

absl::Status SentencePieceTokenizer::Encode(std::string_view text,
                                            EncodeOptions options,
                                            std::vector<TokenId>& ids) const {
  if (options.special_text == SpecialText::kRefuse) {
    PENSTOCK_RETURN_IF_ERROR(CheckRefused(text));
  }
  if (text.empty()) return absl::OkStatus();
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
  {
    PieceSink sink(unknown_rule_, normalized.size(), ids);
    segmenter_->Segment(normalized, *work->scratch, sink);
  }
  if (text.size() <= kKeptTextBytes) workspaces_.GiveBack(std::move(work));
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
