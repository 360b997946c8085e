// Builds one serialized tf.train.Example at a time, the same bytes for the same
// features always: keys sorted bytewise, one packed chunk per list.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/example/feature_spec.h"

namespace penstock {

// Names are UTF-8, as every reader asks; this is not checked. Memory of earlier
// Examples is used again.
//
// Threads: one at a time.
class ExampleWriter {
 public:
  // Each replaces what an earlier call put under the same name.
  void SetBytes(std::string_view name, std::string_view value);
  void SetBytes(std::string_view name,
                std::span<const std::string_view> values);
  void SetInts(std::string_view name, std::span<const int64_t> values);
  // One bytes value: the numbers, little-endian, in two or four bytes each.
  // They must fit. An `encoding` of kPlain is SetInts().
  void SetInts(std::string_view name, std::span<const int64_t> values,
               FeatureEncoding encoding);
  void SetFloats(std::string_view name, std::span<const float> values);

  // Appends the serialized Example to `out` and forgets the features.
  void Finish(std::string& out);

 private:
  struct Entry {
    std::string name;
    std::string feature;  // a serialized Feature; empty: not in this Example
  };
  // The feature's bytes, emptied.
  std::string& EntryFor(std::string_view name);

  std::vector<Entry> entries_;  // sorted by name
};

}  // namespace penstock
