#include "tokenizer/models/token_model.h"

#include <fmt/format.h>

namespace penstock {

Status TokenModel::EncodeSampled(std::string_view, const Dropout&,
                                 std::vector<TokenId>&) const {
  return UnimplementedError(fmt::format(
      "sampling from a model {}; BPE and SentencePiece unigram have it",
      name()));
}

}  // namespace penstock
