// How tokenize writes what came of a text.
#pragma once

#include <span>
#include <string>

#include "tokenizer/interface/encoding.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/token_counts.h"

namespace penstock {

// "1 2 3", a line.
void AppendIds(std::span<const TokenId> ids, std::string& out);

// "id:begin:end:word ...", a line. Begin and end count characters; a word of -1
// is none.
void AppendOrigins(std::span<const TokenId> ids,
                   std::span<const TokenOrigin> origins, std::string& out);

// One object on a line: ids, tokens, offsets in characters and in bytes, word
// ids, type ids, masks, sequence ids and overflowing parts. A token's bytes
// that are not UTF-8 are U+FFFD.
void AppendJson(const Tokenizer& tokenizer, const Encoding& encoding,
                std::string& out);

// A line for each token: id, spelling as a JSON string and count, with tabs
// between; or as an object.
enum class CountsForm { kTable, kJson };
void AppendCounts(const Tokenizer& tokenizer, const TokenCounts& counts,
                  CountsForm form, std::string& out);

}  // namespace penstock
