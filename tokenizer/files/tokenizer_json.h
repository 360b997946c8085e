// Loads tokenizer.json, the file of Hugging Face tokenizers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "formats/files/status_or.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// Byte-level BPE only: model BPE (also the older layout without model.type),
// pre-tokenizer ByteLevel, alone or behind one Split by a pattern we know,
// decoder ByteLevel, post-processors ByteLevel and TemplateProcessing.
//
// Ids are the reference's: only listed pairs merge, and a piece that is a token
// goes through the merges unless the file says ignore_merges. A byte without a
// token, which the reference drops in silence, is an error of Encode.
// `name` is the file's, for messages.
// Errors:  kDataLoss naming what is wrong where; kUnimplemented naming a
//          component or field that we do not have; kResourceExhausted for an
//          id above kMaxTokenId.
StatusOr<std::shared_ptr<const Tokenizer>> ParseTokenizerJson(
    std::string_view bytes, const std::string& name);

}  // namespace penstock
