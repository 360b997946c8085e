// Stages of the order that may stand in any order: each says something of its
// own about the same epoch.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/graph/node.h"

namespace penstock {

// The stages from a node down to one that begins another epoch: ReadStage,
// ZipStage, MixStage, ConcatStage or SliceOptions.
struct Segment {
  const Node* base = nullptr;
  // Whose epochs those of the base are made of: none of a source.
  std::vector<const Node*> parts;
  std::optional<ShuffleOptions> shuffle;
  std::optional<uint64_t> epochs;
  std::vector<const ExcludeStage*> excluded;
  std::vector<const SplitOptions*> splits;
};

Segment SegmentOf(const Node& node);

// Whether a stage has epochs of its own, made of those of its parents.
bool BeginsEpochs(const Stage& stage);

// "Zip", "Mix", "Concat", "Take", "Skip" or "Slice".
const char* ViewName(const Stage& base);

}  // namespace penstock
