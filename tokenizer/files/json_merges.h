// The merges of a tokenizer.json's BPE model. Private to its loader.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "formats/files/function_ref.h"
#include "formats/files/status_or.h"
#include "tokenizer/bpe/merge_table.h"
#include "tokenizer/files/json_object.h"
#include "tokenizer/interface/fingerprint.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {

struct MergeSpelling {
  // The token that is spelled so.
  FunctionRef<std::optional<TokenId>(std::string_view)> find;
  // Of the prefix that every token but the first of a word has, and that is
  // taken off the right half before the halves are joined.
  size_t prefix_size = 0;
};

// "a b" or ["a", "b"] each, in the order of their ranks; lines "#version..."
// are passed over. Adds both halves of each to `print`. Errors:  kDataLoss
// naming the merge; kResourceExhausted for too many.
StatusOr<MergeTable> ReadMerges(const JsonObject& model, MergeSpelling spelling,
                                Fingerprinter& print);

}  // namespace penstock
