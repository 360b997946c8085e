// What stands around the model in a tokenizer.json. Private to its loader.
#pragma once

#include "formats/files/status.h"
#include "tokenizer/bpe/bpe_tokenizer.h"
#include "tokenizer/files/json_object.h"

namespace penstock {

// Fills parts.specials. The model must be read.
Status ReadAddedTokens(const JsonObject& root, BpeParts& parts);

// Fills parts.pretokenizer and add_prefix_space.
Status ReadPreTokenizer(const JsonObject& root, BpeParts& parts);

Status CheckDecoder(const JsonObject& root);

// Fills parts.normalizer: NFC alone, as files of Qwen have it.
Status ReadNfc(const JsonObject& root, BpeParts& parts);

// That no added token is looked for in text that is normalized.
Status CheckRawTokens(const BpeParts& parts);

}  // namespace penstock
