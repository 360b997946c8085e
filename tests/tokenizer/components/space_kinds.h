// Files of components that are cut at spaces, or may not be.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tokenizer/interface/tokenizer.h"

namespace penstock::testing {

struct SpaceKind {
  nlohmann::json normalizer;
  nlohmann::json splitter;
  bool cuts;                       // behind "ab"
  nlohmann::json model = nullptr;  // null: a Unigram of some characters
  nlohmann::json added = nlohmann::json::array();  // beside [X]
};

// All, with those of which what is between matches is dropped, as CLIP's file
// has it. Those alone have added tokens that are looked for in normalized text.
std::vector<SpaceKind> SpaceKinds();
std::vector<SpaceKind> MatchedSpaceKinds();

std::shared_ptr<const Tokenizer> MakeSpaceKind(const SpaceKind& kind);

// Of what the kinds make something of.
std::string DrawSpacedText(std::mt19937& random);

}  // namespace penstock::testing
