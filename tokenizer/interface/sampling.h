// Other ways to segment a text than the best one: for training that should
// not rely on one.
//
//   BPE                    dropout: merges are left out at random
//   SentencePiece unigram  draws by probability, and the n best
//   Unigram of a file      draws by the probability that Hugging Face
//     tokenizer.json       tokenizers give each way
//   others                 kUnimplemented
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tokenizer/interface/tokenizer.h"

namespace penstock {

struct Sampling {
  // Hashed with the text: the same seed, text and options give the same ids,
  // and one seed gives each text draws of its own. Change it every epoch.
  uint64_t seed = 0;
  // BPE: the chance of a merge to be left out, 0 to 1; 0 changes nothing.
  // Unigram: a way to segment is drawn with a probability proportional to
  // exp(alpha * score), in a tokenizer.json nearly so; 0 draws all alike, in a
  // tokenizer.json it is Encode.
  // By default the file's "dropout", else 0.1.
  std::optional<double> alpha = std::nullopt;
  // Unigram: draws from this many of the best, up to 512; 1 is Encode, 0 draws
  // from all. BPE does not look at it.
  size_t best = 0;
};

struct ScoredIds {
  std::vector<TokenId> ids;
  float score = 0;  // the sum of the pieces' scores
};

}  // namespace penstock
