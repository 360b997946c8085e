#include "tokenizer/interface/tokenizer.h"

#include <fmt/format.h>

#include "formats/files/status_or.h"
#include "tokenizer/interface/encoding.h"
#include "tokenizer/interface/encoding_frame.h"

namespace penstock {

void Encodings::Clear() {
  ids.clear();
  row_offsets.assign(1, 0);
}

Status Tokenizer::EncodeWithOrigins(std::string_view text,
                                    EncodeOptions options,
                                    std::vector<TokenId>& ids,
                                    std::vector<TokenOrigin>& origins) const {
  PENSTOCK_ASSIGN_OR_RETURN(
      const Encoding encoding,
      EncodeFully(*this, {text}, {.encode = options, .keep_overflow = false}));
  ids.insert(ids.end(), encoding.ids.begin(), encoding.ids.end());
  for (TokenOrigin origin : encoding.origins) {
    origin.surface = TokenOrigin::kAsSpelled;
    origins.push_back(origin);
  }
  return OkStatus();
}

const EncodingFrame& Tokenizer::frame() const {
  static const auto& nothing = *new EncodingFrame();
  return nothing;
}

Status Tokenizer::EncodeSampled(std::string_view, EncodeOptions,
                                const Sampling&, std::vector<TokenId>&) const {
  return UnimplementedError(
      fmt::format("{}: knows one way to segment a text only; BPE and "
                  "SentencePiece unigram can be sampled from",
                  Describe()));
}

Status Tokenizer::EncodeBest(std::string_view, EncodeOptions, size_t,
                             std::vector<ScoredIds>&) const {
  return UnimplementedError(
      fmt::format("{}: has no n best ways to segment a text; SentencePiece "
                  "unigram has",
                  Describe()));
}

}  // namespace penstock
