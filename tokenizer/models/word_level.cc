#include "tokenizer/models/word_level.h"

#include <fmt/format.h>

#include "tokenizer/interface/fingerprint.h"

namespace penstock {

Status WordLevel::Encode(std::string_view piece, std::vector<TokenId>& ids,
                         std::vector<TokenSpan>* spans) const {
  std::optional<TokenId> id = vocabulary_.Find(piece);
  if (!id) id = unknown_;
  if (!id) {
    return InvalidArgumentError(fmt::format(
        "a word is not in the vocabulary, and neither is the unknown token "
        "\"{}\"",
        unknown_token_));
  }
  ids.push_back(*id);
  if (spans) spans->push_back({0, static_cast<uint32_t>(piece.size())});
  return OkStatus();
}

uint64_t WordLevel::Fingerprint() const {
  return Fingerprinter().Add(unknown_token_).Finish();
}

}  // namespace penstock
