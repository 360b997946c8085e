#include "tokenizer/sentencepiece_tokenizer.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "formats/status.h"
#include "tokenizer/token_origins.h"
#include "tokenizer/utf8.h"
#include "tokenizer/valid_utf8.h"

namespace penstock {
namespace {

// A workspace that served a larger text is not kept: it may be many times as
// large.
constexpr size_t kKeptTextBytes = size_t{4} << 20;

absl::Status CheckSize(std::string_view normalized) {
  if (normalized.size() < std::numeric_limits<uint32_t>::max()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("the text has {} bytes after normalization; SentencePiece "
                  "models take less than 4 GiB, so cut it into documents",
                  normalized.size()));
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

absl::Status SentencePieceTokenizer::CheckText(std::string_view text,
                                               EncodeOptions options) const {
  if (options.invalid_utf8 == InvalidUtf8::kRefuse) {
    PENSTOCK_RETURN_IF_ERROR(CheckUtf8(text));
  }
  return options.special_text == SpecialText::kRefuse ? CheckRefused(text)
                                                      : absl::OkStatus();
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

absl::Status SentencePieceTokenizer::Encode(std::string_view text,
                                            EncodeOptions options,
                                            std::vector<TokenId>& ids) const {
  PENSTOCK_RETURN_IF_ERROR(CheckText(text, options));
  if (text.empty()) return absl::OkStatus();
  std::unique_ptr<Workspace> work = TakeWorkspace();
  normalizer_->Normalize(text, work->normalized);
  const std::string_view normalized = work->normalized.text();
  PENSTOCK_RETURN_IF_ERROR(CheckSize(normalized));
  {
    PieceSink sink(unknown_rule_, normalized.size(), ids);
    segmenter_->Segment(normalized, *work->scratch, sink);
  }
  if (text.size() <= kKeptTextBytes) workspaces_.GiveBack(std::move(work));
  return absl::OkStatus();
}

absl::Status SentencePieceTokenizer::EncodeBare(
    std::string_view text, EncodeOptions options, std::vector<TokenId>& ids,
    std::vector<TokenOrigin>& origins) const {
  options.invalid_utf8 = InvalidUtf8::kRefuse;
  PENSTOCK_RETURN_IF_ERROR(CheckText(text, options));
  PENSTOCK_RETURN_IF_ERROR(CheckSizeForOrigins(text));
  if (text.empty()) return absl::OkStatus();
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
    } else {
      for (; next != unknown.end() && next->place == i; ++next) {
        at += next->bytes;
      }
    }
    add(begin, places[at]);
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
