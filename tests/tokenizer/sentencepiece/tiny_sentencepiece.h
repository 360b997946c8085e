// SentencePiece models small enough to follow by hand.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/sentencepiece/sentencepiece_model.h"
#include "tokenizer/sentencepiece/unigram_rules.h"

namespace penstock::testing {

using Rules = std::vector<std::pair<std::string_view, std::string_view>>;

struct TinyPiece {
  std::string_view text;
  float score = 0;
  SentencePiece::Type type = SentencePiece::Type::kNormal;
};

// Ids 0 to 2 are <unk>, <s> and </s>; then come pieces of every kind that can
// be found in text, and unused ones.
std::vector<TinyPiece> TinyPieces();

struct TinySentencePiece {
  SentencePieceModel::Type type = SentencePieceModel::Type::kUnigram;
  bool byte_fallback = false;  // adds the 256 byte pieces at the end
  bool whitespace_is_suffix = false;
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;
  Rules rules = {};  // none: no charsmap
  Rules decoding_rules = {};
  std::optional<std::string_view> unknown_surface = {};
  std::vector<TinyPiece> pieces = TinyPieces();

  // The .model file.
  std::string Bytes() const;
};

// A precompiled charsmap, laid out as loosely as can be: a block a node.
std::string TinyCharsmap(const Rules& rules);

// Expects success; null without it.
std::shared_ptr<const Tokenizer> ParseTiny(
    const TinySentencePiece& model,
    UnigramRules rules = UnigramRules::kSince022);

}  // namespace penstock::testing
