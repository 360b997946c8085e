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

// Fills parts.pretokenizers and add_prefix_space.
Status ReadPreTokenizer(const JsonObject& root, BpeParts& parts);

// That all bytes have tokens, unless one scanner is all that cuts. The other
// path leaves bytes out as the reference does; BpeTokenizer names them. The
// model must be read.
Status CheckBytes(const BpeParts& parts);

Status CheckDecoder(const JsonObject& root);

// Fills parts.normalizer: NFC alone, as files of Qwen have it. A sequence of
// none, as files of DeepSeek have it, is none.
Status ReadNfc(const JsonObject& root, BpeParts& parts);

// That added tokens that are looked for in normalized text stay as they are
// where they are normalized themselves.
Status CheckNormalizedTokens(const BpeParts& parts);

}  // namespace penstock
