// The steps of ragged features, whose sizes lie in a feature of their own.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "formats/example/examples.h"
#include "formats/example/feature_spec.h"
#include "formats/example/feature_walk.h"
#include "formats/files/status.h"

namespace penstock {

// Threads: one at a time.
class RaggedRows {
 public:
  // Column i is that of specs[i]. Both must outlive this.
  RaggedRows(std::span<const FeatureSpec> specs, std::span<Column> columns);
  RaggedRows(const RaggedRows&) = delete;
  RaggedRows& operator=(const RaggedRows&) = delete;

  // Appends a slot for the step sizes of each ragged spec, in their order.
  void AddSlots(std::vector<FeatureSlot>& slots);

  // Puts the steps of the row into the columns. `found` follows the slots.
  // Errors:  kInvalidArgument for a part that is missing or of another type,
  //          for sizes that are negative or do not add up to the values.
  Status EndRow(const std::vector<FoundFeature>& found) {
    return ragged_.empty() ? OkStatus() : EndRaggedRow(found);
  }

 private:
  Status EndRaggedRow(const std::vector<FoundFeature>& found);

  struct Ragged {
    size_t spec;
    size_t lengths_slot = 0;
    Column lengths;
  };

  std::span<const FeatureSpec> specs_;
  std::span<Column> columns_;
  std::vector<Ragged> ragged_;
};

}  // namespace penstock
