// Walks the bytes of a protobuf map from names to Feature or FeatureList: the
// Features of an Example, both parts of a SequenceExample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formats/example/feature_layout.h"
#include "formats/example/feature_names.h"
#include "formats/example/feature_walk.h"
#include "formats/wire/wire_format.h"

namespace penstock {

// No recursion; allocates only where columns grow and for the first row.
//
// Threads: one at a time.
class FeatureMapWalk {
 public:
  enum class Of { kFeature, kFeatureList };

  // Slot i takes the feature that `names` gives the number i. All but `slots`
  // must outlive the walk.
  FeatureMapWalk(const FeatureNames& names, std::span<const FeatureSlot> slots,
                 Of of, ExampleMode mode, WireDefect& defect);

  // Forgets what the row before had. Bytes before `record_end` may be read.
  void BeginRow(const char* record_end);
  // May be called many times for a row, as protobuf merges messages. False for
  // a defect; then the columns hold a part of the row.
  bool Walk(std::string_view message);
  // False for a name that came twice, in strict mode.
  bool EndRow() {
    // Names that a row before had in this order are known to be distinct.
    return !rules_.strict() || as_before_ || CheckNames();
  }

  const std::vector<FoundFeature>& found() const { return found_; }
  // The feature that was being read when a defect was found, as far as its name
  // was known.
  std::optional<std::string_view> name() const { return name_; }

 private:
  bool CheckNames();
  bool WalkEntry(std::string_view message);
  bool WalkUnusualEntry(std::string_view message);
  bool WalkValue(std::string_view message, FoundFeature& found) const;
  FoundFeature& Place(const FeatureLayout::Name& known);
  FoundFeature* Known(std::string_view name);
  FoundFeature* Unknown(std::string_view name);
  FoundFeature& Begin(std::string_view name, FoundFeature& found);

  const FeatureNames& names_;
  const Of of_;
  const WireRules rules_;
  const FeatureWalk values_;
  std::vector<FoundFeature> found_;
  FoundFeature unwanted_;
  FeatureLayout layout_;
  const char* record_end_ = nullptr;
  size_t entries_ = 0;     // of this row so far
  bool as_before_ = true;  // whether this row's names are those remembered
  std::vector<std::string_view> row_names_;  // in strict mode alone
  std::optional<std::string_view> name_;
};

// The last key of an entry; without one its name is empty.
bool ReadKey(std::string_view entry, const WireRules& rules,
             std::string_view& key);

// Tags and the depth of unknown groups, for those who walk the same messages.
inline constexpr uint32_t kMapEntryTag = 0x0a;
inline constexpr int kGroupsInMap = kWireDepthLimit - 1;

}  // namespace penstock
