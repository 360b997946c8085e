// A tokenizer.json of components around four words.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "tokenizer/files/tokenizer_json.h"

namespace penstock::testing {

// "?" is 0, "[X]" 1, "a" 2, "b" 3.
inline nlohmann::json Words() {
  return nlohmann::json::parse(R"({
    "version": "1.0", "truncation": null, "padding": null,
    "added_tokens": [{"id": 1, "content": "[X]", "single_word": false,
      "lstrip": false, "rstrip": false, "normalized": false,
      "special": true}],
    "normalizer": {"type": "Lowercase"},
    "pre_tokenizer": {"type": "WhitespaceSplit"},
    "post_processor": null, "decoder": {"type": "Fuse"},
    "model": {"type": "WordLevel", "unk_token": "?",
              "vocab": {"?": 0, "[X]": 1, "a": 2, "b": 3}}})");
}

// With one part of the file changed.
inline nlohmann::json WordsWith(const char* place, nlohmann::json value,
                                nlohmann::json document = Words()) {
  document[nlohmann::json::json_pointer(place)] = std::move(value);
  return document;
}

inline StatusOr<std::shared_ptr<const Tokenizer>> ParseWords(
    const nlohmann::json& document) {
  return ParseTokenizerJson(document.dump(), "words.json");
}

}  // namespace penstock::testing
