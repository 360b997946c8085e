// The "model" of a tokenizer.json. Private to its loader.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "formats/files/status_or.h"
#include "tokenizer/bpe/bpe_tokenizer.h"
#include "tokenizer/files/json_object.h"

namespace penstock {

// Fills vocabulary, plain_ids, merges_fingerprint, whole_pieces_first and
// dropout.
StatusOr<MergeTable> ReadBpeModel(const JsonObject& model, BpeParts& parts);

// The field "dropout".
StatusOr<std::optional<double>> ReadDropout(const JsonObject& model);

// The first byte that is no token.
std::optional<uint8_t> ByteWithoutToken(const Vocabulary& vocabulary);

// A token's id as the file spells the token.
std::optional<TokenId> FindSpelled(const BpeParts& parts,
                                   std::string_view spelled);

}  // namespace penstock
