// Walks the bytes of one Feature, or of the FeatureList of a SequenceExample,
// and puts the values into a column.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "formats/example/example_lists.h"
#include "formats/example/examples.h"
#include "formats/wire/wire_format.h"

namespace penstock {

// Where the values of a wanted feature go.
struct FeatureSlot {
  Column* column = nullptr;  // null for a feature that nobody wants
  FeatureType type = FeatureType::kBytes;  // in the record
  // 2 or 4 where a bytes feature holds numbers of that size; 0 where not.
  int number_bytes = 0;
  // Values that a row must have, in a list each step; negative for any number.
  int64_t wanted_values = -1;
};

// What a feature of the row at hand turned out to be; in a list, its last step.
struct FoundFeature {
  FeatureSlot slot;
  bool present = false;
  std::optional<FeatureType> type;  // none where it is missing or empty
  uint64_t values = 0;
  uint64_t odd_size = 0;  // of a bytes value that is no whole of numbers

  // A step of another type or number of values than wanted.
  struct OddStep {
    uint64_t step;
    std::optional<FeatureType> type;
    uint64_t values;
  };
  std::optional<OddStep> odd_step = {};  // the first

  // For a feature of a row that is no array in bytes: whether it is there and
  // as wanted.
  bool IsAsWanted() const {
    return type == slot.type && slot.number_bytes == 0 &&
           (slot.wanted_values < 0 ||
            values == static_cast<uint64_t>(slot.wanted_values));
  }
  uint64_t steps = 0;
};

// Takes off everything after the last whole row, or step.
void CutToWholeRows(Column& column);
void CutToWholeSteps(Column& column);

// Threads: one at a time.
class FeatureWalk {
 public:
  // Unknown groups may be nested `group_limit` deep in the message.
  FeatureWalk(ExampleMode mode, int group_limit, WireDefect& defect)
      : rules_{mode, defect}, group_limit_(group_limit) {}

  // Each goes on with what `found` has already. False for a defect.
  bool WalkFeature(std::string_view message, FoundFeature& found) const {
    return Walk(message, found, group_limit_, false);
  }
  bool WalkFeatureList(std::string_view message, FoundFeature& found) const;
  // A feature of which nothing is found yet, with the one value or packed part
  // that a PlainEntry holds.
  bool WalkPlainValues(FeatureType type, std::string_view values,
                       FoundFeature& found) const;

 private:
  bool Walk(std::string_view message, FoundFeature& found, int group_limit,
            bool is_step) const;
  bool WalkList(FeatureType type, std::string_view message, FoundFeature& found,
                int group_limit, bool is_step) const;

  const WireRules rules_;
  const int group_limit_;
};

inline bool FeatureWalk::WalkPlainValues(FeatureType type,
                                         std::string_view values,
                                         FoundFeature& found) const {
  found.type = type;
  found.values = 0;
  const FeatureSlot& slot = found.slot;
  Column* const column = slot.type == type ? slot.column : nullptr;
  switch (type) {
    case FeatureType::kBytes:
      TakeBytesValue(values, column, slot.number_bytes, found.values,
                     found.odd_size);
      return true;
    case FeatureType::kFloat:
      return TakeFloatBytes(values, column, found.values, rules_.defect);
    case FeatureType::kInt64:
      return TakePackedInts(values, column, found.values, rules_.defect);
  }
  return false;
}

}  // namespace penstock
