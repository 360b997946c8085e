// What stands around the model in a tokenizer.json. Private to its loader.
#pragma once

#include <vector>

#include "formats/files/status.h"
#include "tokenizer/bpe/bpe_tokenizer.h"
#include "tokenizer/components/added_tokens.h"
#include "tokenizer/files/json_object.h"

namespace penstock {

// Fills parts.specials. The model must be read.
// Errors:  kUnimplemented for flags, and ids that the model has, too.
Status TakeAddedTokens(const std::vector<AddedToken>& tokens, BpeParts& parts);

// Fills parts.pretokenizer and add_prefix_space.
Status ReadPreTokenizer(const JsonObject& root, BpeParts& parts);

// That an expression which we have no scanner for does not cut text for a model
// without tokens for all bytes: it leaves such text out, which BpeTokenizer
// does not. The model must be read.
Status CheckExpression(const BpeParts& parts);

Status CheckDecoder(const JsonObject& root);

// Fills parts.normalizer: NFC alone, as files of Qwen have it.
Status ReadNfc(const JsonObject& root, BpeParts& parts);

// That no added token is looked for in text that is normalized.
Status CheckRawTokens(const BpeParts& parts);

}  // namespace penstock
