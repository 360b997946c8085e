// A tokenizer of every kind there is, and of every decoder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tokenizer/interface/tokenizer.h"

namespace penstock::testing {

struct NamedTokenizer {
  std::string name;
  std::shared_ptr<const Tokenizer> tokenizer;
};

// Small ones, made here and from hf_vectors.json.
const std::vector<NamedTokenizer>& EveryKind();

// Those of the fixtures folder; none where it is missing.
std::vector<NamedTokenizer> FixtureTokenizers();

}  // namespace penstock::testing
