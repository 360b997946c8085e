#include "pipeline/build/row_runs.h"

#include "pipeline/graph/tensors.h"

namespace penstock {

FeaturePlace PlaceOf(const Stages& stages, size_t feature) {
  const Feature& of = stages.batched[feature];
  return {.column = feature,
          .arranges = of.name == stages.by(),
          .varying = of.length == Feature::kVarying,
          .by = FindFeature(stages, stages.by()).value_or(feature),
          .pads_left = of.pad_side == Side::kLeft,
          // What is cut into pieces loses nothing.
          .cuts_left = of.cut_side == Side::kLeft && !stages.chunks(),
          .optional = of.optional,
          .packed = stages.pack.has_value()};
}

}  // namespace penstock
