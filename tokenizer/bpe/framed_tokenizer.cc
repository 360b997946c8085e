#include "tokenizer/bpe/framed_tokenizer.h"

#include <fmt/format.h>

#include <utility>

#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {

Status FramedTokenizer::Encode(std::string_view text, EncodeOptions options,
                               std::vector<TokenId>& ids) const {
  return EncodeWith(/*drawing=*/nullptr, text, options, ids);
}

Status FramedTokenizer::EncodeSampled(std::string_view text,
                                      EncodeOptions options,
                                      const Sampling& sampling,
                                      std::vector<TokenId>& ids) const {
  PENSTOCK_ASSIGN_OR_RETURN(const double alpha, AlphaOf(sampling));
  if (alpha == 0) return Encode(text, options, ids);
  Draws draws(sampling.seed, text);
  const Drawing drawing = {alpha, sampling.best, draws};
  return EncodeWith(&drawing, text, options, ids);
}

Status FramedTokenizer::EncodeWith(const Drawing* drawing,
                                   std::string_view text, EncodeOptions options,
                                   std::vector<TokenId>& ids) const {
  if (options.invalid_utf8 == InvalidUtf8::kRefuse) {
    PENSTOCK_RETURN_IF_ERROR(CheckUtf8(text));
  }
  const size_t begin = ids.size();
  Status status = AppendFramed(drawing, text, options, ids);
  if (!status.ok()) ids.resize(begin);
  return status;
}

Status FramedTokenizer::AppendFramed(const Drawing* drawing,
                                     std::string_view text,
                                     EncodeOptions options,
                                     std::vector<TokenId>& ids) const {
  const auto append = [&ids](const std::vector<TokenId>& some) {
    ids.insert(ids.end(), some.begin(), some.end());
  };
  if (affixes_) {
    if (options.add_special_tokens) append(affixes_->before);
    PENSTOCK_RETURN_IF_ERROR(AppendIdsOf(text, options, drawing, ids));
    if (options.add_special_tokens) append(affixes_->after);
    return OkStatus();
  }
  std::vector<TokenId> bare;
  PENSTOCK_RETURN_IF_ERROR(AppendIdsOf(text, options, drawing, bare));
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::vector<TokenId> framed,
      FrameIds(frame_, options.add_special_tokens, std::move(bare)));
  append(framed);
  return OkStatus();
}

Status UnknownIdError(TokenId id, std::string_view name, size_t ids) {
  return InvalidArgumentError(fmt::format(
      "id {} is not in the vocabulary of {}, which has {} ids", id, name, ids));
}

}  // namespace penstock
