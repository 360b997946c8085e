// Walks the bytes of one tf.train.Example and puts the wanted features into
// columns, with the meaning that protobuf gives to the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formats/examples.h"
#include "formats/feature_names.h"
#include "formats/wire_format.h"

namespace penstock {

// What one feature of the row at hand turned out to be.
struct FoundFeature {
  // Where the values go if they are of its type; null for a feature that
  // nobody wants.
  Column* column = nullptr;
  bool present = false;
  std::optional<FeatureType> type;  // none where it is missing or empty
  uint64_t values = 0;
};

// Takes off everything after the last whole row.
void CutToWholeRows(Column& column);

// A walk has no recursion and allocates only where columns grow.
//
// Threads: one at a time.
class ExampleWalk {
 public:
  // Column i takes the feature `names` gives the number i. All must outlive
  // the walk.
  ExampleWalk(const FeatureNames& names, std::span<Column> columns);

  // Puts the values of one record behind those in the columns, without ending
  // the row. False for bytes that are no Example; then the columns hold a part
  // of it. The whole record is validated, whatever features are wanted.
  bool Walk(std::string_view record);

  // Of the last Walk().
  const std::vector<FoundFeature>& found() const { return found_; }
  const WireDefect& defect() const { return defect_; }
  // The feature in which the defect lies, as far as its name was read.
  std::optional<std::string_view> defect_feature() const { return name_; }

 private:
  bool WalkFeatures(std::string_view message);
  bool WalkEntry(std::string_view message);
  bool WalkUnusualEntry(std::string_view message);
  bool WalkFeature(std::string_view message, FoundFeature& found);
  bool WalkList(FeatureType type, std::string_view message,
                FoundFeature& found);
  FoundFeature& Begin(std::string_view name);

  const FeatureNames& names_;
  std::vector<FoundFeature> found_;
  FoundFeature unwanted_;
  WireDefect defect_;
  std::optional<std::string_view> name_;
};

// The first `limit` distinct names of the features of a valid record.
std::vector<std::string_view> NamesInExample(std::string_view record,
                                             size_t limit);

}  // namespace penstock
