#include "tokenizer/models/token_model.h"

#include <fmt/format.h>

namespace penstock {

Status TokenModel::EncodeBetween(std::string_view, std::span<const PlacedToken>,
                                 std::vector<TokenId>&) const {
  return UnimplementedError(
      fmt::format("a model {} encodes piece by piece", name()));
}

StatusOr<double> TokenModel::AlphaOf(const Sampling&) const {
  return UnimplementedError(
      fmt::format("sampling from a model {}; BPE and Unigram have it", name()));
}

Status TokenModel::EncodeSampled(std::string_view piece, const Drawing&,
                                 std::vector<TokenId>& ids) const {
  return Encode(piece, ids, /*spans=*/nullptr);
}

}  // namespace penstock
