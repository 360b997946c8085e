// What infeedsim may be told about what a model is to learn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/dataset.h"
#include "tools/arguments/command.h"

namespace penstock {

enum class ObjectiveName { kNone, kCausal, kPrefix, kFill, kMasked, kSpans };

struct ObjectiveArguments {
  ObjectiveName objective = ObjectiveName::kNone;
  uint64_t seed = 0;
  bool segment_ids = false;
  bool positions = false;
  int64_t ignore = -100;
  int64_t mask_id = -1;
  int64_t vocabulary = 0;
  int64_t sentinel = -1;
  std::optional<int64_t> eos;
  std::vector<int64_t> fill_ids;  // prefix, middle, suffix

  // This must outlive `command`.
  void AddTo(Command& command);

  // `dataset` with what was asked for, of the feature `of`.
  Dataset Apply(Dataset dataset, const std::string& of) const;
};

}  // namespace penstock
