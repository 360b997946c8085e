// Vocabularies small enough to follow by hand: the 256 bytes, id = value, and
// a few tokens after them.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/interface/tokenizer.h"

namespace penstock::testing {

// A .tiktoken file; tokens[i] has rank 256 + i.
std::string TinyTiktoken(const std::vector<std::string>& tokens);

// A tokenizer.json in the layout that is written today; tokens[i], as spelled,
// has id 256 + i. Merges are "left right". Change the document as you like.
nlohmann::json TinyJson(const std::vector<std::string>& tokens,
                        const std::vector<std::string>& merges);

std::string Base64(std::string_view bytes);

// An entry of "added_tokens", special, with no other flag.
nlohmann::json AddedTokenJson(std::string_view content, TokenId id);

// The ids of `text`, expecting success.
std::vector<TokenId> Ids(const Tokenizer& tokenizer, std::string_view text,
                         EncodeOptions options = {});

}  // namespace penstock::testing
