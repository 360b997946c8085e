#include "pipeline/graph/segment.h"

#include <variant>

namespace penstock {

bool BeginsEpochs(const Stage& stage) {
  return std::holds_alternative<MixStage>(stage) ||
         std::holds_alternative<ConcatStage>(stage) ||
         std::holds_alternative<SliceOptions>(stage);
}

Segment SegmentOf(const Node& node) {
  Segment segment;
  for (const Node* at = &node;; at = at->parents.front().get()) {
    if (const auto* shuffle = std::get_if<ShuffleOptions>(&at->stage)) {
      segment.shuffle = *shuffle;
    } else if (const auto* repeat = std::get_if<RepeatOptions>(&at->stage)) {
      segment.epochs = repeat->epochs;
    } else if (const auto* exclude = std::get_if<ExcludeStage>(&at->stage)) {
      segment.excluded.push_back(exclude);
    } else if (const auto* split = std::get_if<SplitOptions>(&at->stage)) {
      segment.splits.push_back(split);
    }
    const bool begins = BeginsEpochs(at->stage);
    if (!begins && at->parents.size() == 1 &&
        !std::holds_alternative<ZipStage>(at->stage)) {
      continue;
    }
    segment.base = at;
    for (const auto& parent : at->parents) {
      if (begins) segment.parts.push_back(parent.get());
    }
    return segment;
  }
}

const char* ViewName(const Stage& base) {
  if (std::holds_alternative<ZipStage>(base)) return "Zip";
  if (std::holds_alternative<MixStage>(base)) return "Mix";
  if (std::holds_alternative<ConcatStage>(base)) return "Concat";
  const auto& slice = std::get<SliceOptions>(base);
  if (slice.begin == 0) return "Take";
  return slice.end == UINT64_MAX ? "Skip" : "Slice";
}

}  // namespace penstock
