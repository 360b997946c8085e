// What stands around the model in a tokenizer.json. Private to its loader.
#pragma once

#include "absl/status/status.h"
#include "tokenizer/bpe_tokenizer.h"
#include "tokenizer/json_object.h"

namespace penstock {

// Fills parts.specials. The model must be read.
absl::Status ReadAddedTokens(const JsonObject& root, BpeParts& parts);

// Fills parts.pretokenizer and add_prefix_space.
absl::Status ReadPreTokenizer(const JsonObject& root, BpeParts& parts);

absl::Status CheckDecoder(const JsonObject& root);

absl::Status CheckNoNormalizer(const JsonObject& root);

}  // namespace penstock
