// What a byte-level BPE tokenizer is made of, beside its merges.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tokenizer/interface/normalizer.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/patterns/cut_in_turn.h"
#include "tokenizer/vocabulary/special_tokens.h"
#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {

// How the vocabulary file writes tokens, for IdOf and TokenOf.
enum class Spelling {
  kBytes,         // .tiktoken: the bytes themselves
  kByteAlphabet,  // tokenizer.json: see byte_alphabet.h
};

// What a loader found in its file.
struct BpeParts {
  std::string name;  // of the file, for people
  Spelling spelling = Spelling::kBytes;
  Vocabulary vocabulary;
  uint64_t merges_fingerprint = 0;  // of merges that `vocabulary` does not tell
  // A piece that is a token is that token, even if no merges lead to it.
  bool whole_pieces_first = false;
  // The share of merges that EncodeSampled leaves out by default.
  std::optional<double> dropout;
  // Null: none. Keeps each token of `specials` that is looked for in normalized
  // text.
  std::unique_ptr<const Normalizer> normalizer;
  uint64_t normalizer_print = 0;  // a hash of what it does
  // Each cuts the pieces of the one before; none: a text is one piece.
  PreTokenizers pretokenizers;
  bool add_prefix_space = false;
  std::vector<SpecialToken> specials;
  // Tokens of `vocabulary` with characters that the spelling's alphabet lacks:
  // no text leads to them.
  std::map<std::string, TokenId, std::less<>> plain_ids;
};

}  // namespace penstock
