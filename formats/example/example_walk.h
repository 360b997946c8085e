// Walks the bytes of one tf.train.Example and puts the wanted features into
// columns, with the meaning that protobuf gives to the bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formats/example/feature_map_walk.h"
#include "formats/example/feature_names.h"
#include "formats/wire/wire_format.h"

namespace penstock {

// A walk has no recursion and allocates only where columns grow.
//
// Threads: one at a time.
class ExampleWalk {
 public:
  // Slot i takes the feature `names` gives the number i. Names and columns must
  // outlive the walk.
  ExampleWalk(const FeatureNames& names, std::span<const FeatureSlot> slots,
              ExampleMode mode)
      : features_(names, slots, FeatureMapWalk::Of::kFeature, mode, defect_),
        mode_(mode) {}
  ExampleWalk(const ExampleWalk&) = delete;
  ExampleWalk& operator=(const ExampleWalk&) = delete;

  // Puts the values of one record behind those in the columns, without ending
  // the row. False for bytes that are no Example; then the columns hold a part
  // of it. The whole record is validated, whatever features are wanted.
  bool Walk(std::string_view record);

  // Of the last Walk().
  const std::vector<FoundFeature>& found() const { return features_.found(); }
  const WireDefect& defect() const { return defect_; }
  // The feature in which the defect lies, as far as its name was read.
  std::optional<std::string_view> defect_feature() const {
    return features_.name();
  }

 private:
  WireDefect defect_;
  FeatureMapWalk features_;
  const ExampleMode mode_;
};

// The first `limit` distinct names of the features of a valid record.
std::vector<std::string_view> NamesInExample(std::string_view record,
                                             size_t limit);

}  // namespace penstock
