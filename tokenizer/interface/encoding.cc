#include "tokenizer/interface/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/interface/encoding_frame.h"
#include "tokenizer/interface/encoding_parts.h"
#include "tokenizer/interface/token_origins.h"

namespace penstock {
namespace {

std::string TokenText(const Tokenizer& tokenizer, TokenId id,
                      const TokenOrigin& origin, const Surfaces& surfaces) {
  if (origin.surface != TokenOrigin::kAsSpelled) {
    return surfaces[origin.surface];
  }
  return tokenizer.TokenOf(id).value_or("");
}

void SetType(uint32_t type_id, EncodingPart& part) {
  part.columns.type_ids.assign(part.size(), type_id);
}

// One call on its way.
class Framer {
 public:
  Framer(const Tokenizer& tokenizer, const FullEncodeOptions& options)
      : tokenizer_(tokenizer),
        options_(options),
        frame_(tokenizer.frame()),
        truncation_(options.truncation ? options.truncation
                                       : frame_.truncation),
        padding_(options.padding ? options.padding : frame_.padding) {}

  // Appends the texts of tokens to `surfaces`.
  StatusOr<EncodingParts> Make(const TextPair& pair, Surfaces& surfaces) const {
    std::vector<EncodingParts> texts(pair.second ? 2 : 1);
    PENSTOCK_ASSIGN_OR_RETURN(texts[0].kept, Bare(pair.first, surfaces));
    if (pair.second) {
      PENSTOCK_ASSIGN_OR_RETURN(texts[1].kept, Bare(*pair.second, surfaces));
    }
    const auto& pieces = pair.second ? frame_.pair : frame_.single;
    if (truncation_) PENSTOCK_RETURN_IF_ERROR(Cut(pieces, texts));
    for (size_t t = 0; t < texts.size(); ++t) Prepare(t, surfaces, texts);
    EncodingParts whole;
    OverflowBudget budget;
    for (const FramePiece& piece : pieces) {
      if (piece.kind == FramePiece::Kind::kToken) {
        if (!options_.encode.add_special_tokens) continue;
        EncodingParts token;
        token.kept = PartOfToken(piece, surfaces);
        PENSTOCK_RETURN_IF_ERROR(AppendParts(token, budget, whole));
        continue;
      }
      EncodingParts& text =
          texts[piece.kind == FramePiece::Kind::kSecond ? 1 : 0];
      SetType(piece.type_id, text.kept);
      PENSTOCK_RETURN_IF_ERROR(AppendParts(text, budget, whole));
    }
    return whole;
  }

  // `longest` is of the batch.
  Encoding Finish(EncodingParts parts, Surfaces surfaces,
                  size_t longest) const {
    if (padding_) {
      const size_t length = PaddedLength(*padding_, longest);
      const uint32_t surface = AddSurface(padding_->token, surfaces);
      PadPart(*padding_, length, surface, parts.kept);
      for (EncodingPart& part : parts.overflow) {
        PadPart(*padding_, length, surface, part);
      }
    }
    std::shared_ptr<const Surfaces> shared;
    if (!surfaces.empty()) {
      shared = std::make_shared<const Surfaces>(std::move(surfaces));
    }
    Encoding encoding = FinishPart(std::move(parts.kept));
    encoding.surfaces = shared;
    for (EncodingPart& part : parts.overflow) {
      encoding.overflowing.push_back(FinishPart(std::move(part)));
      encoding.overflowing.back().surfaces = shared;
    }
    return encoding;
  }

 private:
  StatusOr<EncodingPart> Bare(std::string_view text, Surfaces& surfaces) const {
    EncodingPart part;
    PENSTOCK_RETURN_IF_ERROR(
        tokenizer_.EncodeBare(text, options_.encode, part.columns.ids,
                              part.columns.origins, surfaces));
    part.columns.type_ids.assign(part.size(), 0);
    part.columns.attention.assign(part.size(), 1);
    return part;
  }

  Status Cut(const std::vector<FramePiece>& pieces,
             std::vector<EncodingParts>& texts) const {
    PENSTOCK_ASSIGN_OR_RETURN(
        const size_t max_length,
        LengthForTexts(*truncation_, pieces,
                       options_.encode.add_special_tokens));
    std::optional<size_t> second;
    if (texts.size() == 2) second = texts[1].kept.size();
    PENSTOCK_ASSIGN_OR_RETURN(const TextLengths lengths,
                              TruncatedLengths(*truncation_, max_length,
                                               texts[0].kept.size(), second));
    for (size_t t = 0; t < texts.size(); ++t) {
      PENSTOCK_ASSIGN_OR_RETURN(
          texts[t], TruncatePart(std::move(texts[t].kept),
                                 t == 0 ? lengths.first : lengths.second,
                                 *truncation_, options_.keep_overflow));
    }
    return OkStatus();
  }

  // Types, places and offsets of the text's parts, before they are framed.
  void Prepare(size_t text, const Surfaces& surfaces,
               std::vector<EncodingParts>& texts) const {
    EncodingParts& parts = texts[text];
    Trim(text, surfaces, parts.kept);
    if (frame_.has_processor || texts.size() == 2) {
      parts.kept.texts[text] = TokenRange{0, parts.kept.size()};
    }
    uint32_t overflow_type = static_cast<uint32_t>(text);
    if (text == 1 && options_.encode.add_special_tokens) {
      overflow_type = frame_.second_overflow_type;
    }
    for (EncodingPart& part : parts.overflow) {
      Trim(text, surfaces, part);
      SetType(overflow_type, part);
      if (frame_.has_processor) part.texts[text] = TokenRange{0, part.size()};
    }
  }

  void Trim(size_t text, const Surfaces& surfaces, EncodingPart& part) const {
    for (const TrimSpaces trim : frame_.trims) {
      const bool is_behind_token =
          trim.is_behind_token[text] && options_.encode.add_special_tokens;
      for (size_t i = 0; i < part.size(); ++i) {
        TokenOrigin& origin = part.columns.origins[i];
        TrimSpacesOf(
            TokenText(tokenizer_, part.columns.ids[i], origin, surfaces),
            i == 0 && !is_behind_token, trim.add_prefix_space, origin);
      }
    }
  }

  const Tokenizer& tokenizer_;
  const FullEncodeOptions& options_;
  const EncodingFrame& frame_;
  const std::optional<Truncation> truncation_;
  const std::optional<Padding> padding_;
};

}  // namespace

std::string Encoding::TextOf(const Tokenizer& tokenizer, size_t place) const {
  static const auto& none = *new Surfaces();
  return TokenText(tokenizer, ids[place], origins[place],
                   surfaces == nullptr ? none : *surfaces);
}

StatusOr<Encoding> EncodeFully(const Tokenizer& tokenizer,
                               const TextPair& texts,
                               const FullEncodeOptions& options) {
  const Framer framer(tokenizer, options);
  Surfaces surfaces;
  PENSTOCK_ASSIGN_OR_RETURN(EncodingParts parts, framer.Make(texts, surfaces));
  const size_t size = parts.kept.size();
  return framer.Finish(std::move(parts), std::move(surfaces), size);
}

StatusOr<std::vector<Encoding>> EncodeFully(const Tokenizer& tokenizer,
                                            std::span<const TextPair> texts,
                                            const FullEncodeOptions& options) {
  const Framer framer(tokenizer, options);
  std::vector<EncodingParts> made;
  std::vector<Surfaces> surfaces(texts.size());
  size_t longest = 0;
  for (const TextPair& pair : texts) {
    auto parts = framer.Make(pair, surfaces[made.size()]);
    if (!parts.ok()) {
      return Annotate(parts.status(), fmt::format("text {}", made.size()));
    }
    longest = std::max(longest, parts->kept.size());
    made.push_back(*std::move(parts));
  }
  std::vector<Encoding> encodings;
  for (size_t i = 0; i < made.size(); ++i) {
    encodings.push_back(
        framer.Finish(std::move(made[i]), std::move(surfaces[i]), longest));
  }
  return encodings;
}

}  // namespace penstock
