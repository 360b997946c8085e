// Reads the "post_processor" of a tokenizer.json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/files/status_or.h"
#include "tokenizer/files/json_object.h"
#include "tokenizer/interface/encoding_frame.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// What it adds to texts and takes off their offsets.
// Errors:  kDataLoss for fields that are not what they should be;
//          kUnimplemented for processors that are not known, and for one that
//          adds tokens behind another.
Status ReadPostProcessor(const JsonObject& json, EncodingFrame& frame);

// Of the file's parts around texts: an id of a token, and one of a type.
StatusOr<TokenId> TokenIdOf(simdjson::dom::element element,
                            const std::string& where);
StatusOr<uint32_t> TypeIdOf(const JsonObject& json, std::string_view name);

}  // namespace penstock
