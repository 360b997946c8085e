// Serialized tf.train.Example -> columns, without protobuf objects.
//
// Source:  field numbers of tensorflow/core/example/{example,feature}.proto;
//          meaning of odd inputs as protobuf gives them, see
//          docs/formats/example.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "formats/examples.h"

namespace penstock {

class FeatureNames;

// A feature to take out of each row. Features not asked for are skipped.
struct FeatureSpec {
  std::string name;
  FeatureType type = FeatureType::kInt64;
  // How many values every row must have; kAnyLength allows any number.
  int64_t length = kAnyLength;
  // Without it a row must have the feature; with it a row may lack it and then
  // has no values.
  bool optional = false;

  static constexpr int64_t kAnyLength = -1;
};

// Threads: any number at a time.
class ExampleParser {
 public:
  // Errors:  kInvalidArgument for an empty list, a name asked for twice or not
  //          UTF-8, a negative length.
  static absl::StatusOr<ExampleParser> Create(std::vector<FeatureSpec> specs);

  // Appends one row per record to `out`, whose columns follow the specs: those
  // of an earlier call, or none yet. `locate(i)` names records[i] in messages.
  //
  // The whole of each record is validated, as protobuf would, whichever
  // features are asked for. Nothing is allocated per row but by growth of the
  // columns.
  //
  // Errors:  kDataLoss for bytes that are no Example; kInvalidArgument for a
  //          feature that is missing, of another type or another length, and
  //          for rows of other features in `out`; kResourceExhausted for a
  //          record over 2 GiB. The rows before the defect stay in `out`.
  absl::Status Parse(std::span<const std::string_view> records,
                     absl::FunctionRef<std::string(size_t)> locate,
                     Examples& out) const;

  const std::vector<FeatureSpec>& specs() const { return specs_; }

 private:
  explicit ExampleParser(std::vector<FeatureSpec> specs);

  std::vector<FeatureSpec> specs_;
  std::shared_ptr<const FeatureNames> names_;
};

}  // namespace penstock
