// Serialized tf.train.Example -> columns, without protobuf objects.
//
// Source:  field numbers of tensorflow/core/example/{example,feature}.proto;
//          meaning of odd inputs as protobuf gives them, see
//          docs/formats/example.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/example/examples.h"
#include "formats/example/feature_spec.h"
#include "formats/files/function_ref.h"
#include "formats/files/status_or.h"

namespace penstock {

// What to make of bytes that protobuf and TensorFlow read differently.
// docs/formats/example.md lists every such input. Bytes that are no Example to
// protobuf are refused in both modes.
enum class ExampleMode {
  kLax,     // takes protobuf's meaning
  kStrict,  // refuses them
};

// A bytes feature of one value, of known size.
struct LongValue {
  std::string_view name;
  std::span<char> to;  // as many bytes as the value has
  bool found = false;  // set: the value is there
};

// Shorter ones are cheaper with the rest.
inline constexpr size_t kLongValueBytes = 32 << 10;

// An Example without its long values. Reuse one to reuse its memory.
struct ExampleRest {
  static constexpr size_t kMostBytes = 64 << 10;

  std::string example;
  std::string block;  // used while it is taken
};

class FeatureNames;

struct ExampleOptions {
  // What to make of bytes that protobuf and TensorFlow read differently.
  ExampleMode mode = ExampleMode::kLax;
};

// Threads: any number at a time.
class ExampleParser {
 public:
  // Errors:  those of CheckSpecs().
  static StatusOr<ExampleParser> Create(std::vector<FeatureSpec> specs,
                                        ExampleOptions options = {});

  // Appends one row per record to `out`, whose columns follow the specs: those
  // of an earlier call, or none yet. `locate(i)` names records[i] in messages.
  //
  // The whole of each record is validated, as protobuf would, whichever
  // features are asked for. Nothing is allocated per row but by growth of the
  // columns.
  //
  // Errors:  kDataLoss for bytes that are no Example, and in strict mode for
  //          those that others read differently; kInvalidArgument for a feature
  //          that is missing, of another type or another length, and for rows
  //          of other features in `out`; kResourceExhausted for a record over
  //          2 GiB and where memory ends. The rows before the defect stay in
  //          `out`.
  Status Parse(std::span<const std::string_view> records,
               FunctionRef<std::string(size_t)> locate, Examples& out) const;

  const std::vector<FeatureSpec>& specs() const { return specs_; }

 private:
  Status ParseRows(std::span<const std::string_view> records,
                   FunctionRef<std::string(size_t)> locate,
                   Examples& out) const;
  ExampleParser(std::vector<FeatureSpec> specs, ExampleOptions options);

  std::vector<FeatureSpec> specs_;
  ExampleOptions options_;
  // Of the specs, then of the lengths of the ragged ones.
  std::shared_ptr<const FeatureNames> names_;
  Status no_memory_;  // made while there is some
};

}  // namespace penstock
