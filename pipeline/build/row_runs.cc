#include "pipeline/build/row_runs.h"

#include "pipeline/graph/tensors.h"

namespace penstock {

FeaturePlace PlaceOf(const Stages& stages, size_t feature) {
  const Feature& of = stages.batched[feature];
  // Then pieces know measures of rows and no lengths.
  const bool whole = stages.grid().has_value();
  return {.column = feature,
          .arranges = of.name == stages.by() && !whole,
          .varying = of.length == Feature::kVarying,
          .by = FindFeature(stages, stages.by()).value_or(feature),
          .pads_left = of.pad_side == Side::kLeft,
          // What is cut into pieces loses nothing.
          .cuts_left = of.cut_side == Side::kLeft && !stages.chunks(),
          .optional = of.optional,
          .packed = stages.pack.has_value(),
          .whole = whole};
}

}  // namespace penstock
