// Builds one serialized tf.train.SequenceExample at a time, the same bytes for
// the same features always: keys sorted bytewise, one packed part per list.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "formats/example/example_writer.h"

namespace penstock {

// Names are UTF-8, as every reader asks; this is not checked.
//
// Threads: one at a time.
class SequenceWriter {
 public:
  // The features that the record has once. Its Finish() is not for callers.
  ExampleWriter& context() { return context_; }

  // A list without steps, if nothing follows.
  void AddList(std::string_view name);
  // Each appends a step to a list, which begins with the first.
  void AddBytes(std::string_view list, std::string_view value);
  void AddBytes(std::string_view list,
                std::span<const std::string_view> values);
  void AddInts(std::string_view list, std::span<const int64_t> values);
  void AddFloats(std::string_view list, std::span<const float> values);

  // Appends the serialized SequenceExample to `out` and forgets the features.
  void Finish(std::string& out);

 private:
  // Takes over feature_ as a step of the list.
  void AddStep(std::string_view list);

  ExampleWriter context_;
  std::map<std::string, std::string, std::less<>> lists_;  // name: FeatureList
  std::string feature_;
};

}  // namespace penstock
