// Serialized tf.train.SequenceExample -> columns, without protobuf objects.
//
// Source:  field numbers of tensorflow/core/example/{example,feature}.proto;
//          odd inputs as docs/formats/example.md says for Examples.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/example/example_parser.h"
#include "formats/example/examples.h"
#include "formats/example/feature_spec.h"
#include "formats/files/function_ref.h"
#include "formats/files/status_or.h"

namespace penstock {

class FeatureNames;

struct SequenceExamples {
  Examples context;
  Examples lists;  // ragged columns: row -> steps -> values
};

// Threads: any number at a time.
class SequenceParser {
 public:
  // The length or shape of a list's spec is that of every step.
  // Errors:  those of CheckSpecs(), but one of the two may be empty;
  //          kUnimplemented for ragged features, and for encodings in lists.
  static StatusOr<SequenceParser> Create(std::vector<FeatureSpec> context,
                                         std::vector<FeatureSpec> lists,
                                         ExampleOptions options = {});

  // Appends one row per record to both parts of `out`, whose columns follow the
  // specs: those of an earlier call, or none yet. `locate(i)` names records[i]
  // in messages. The whole of each record is validated, as protobuf would.
  //
  // Errors:  as ExampleParser::Parse(). The rows before the defect stay.
  Status Parse(std::span<const std::string_view> records,
               FunctionRef<std::string(size_t)> locate,
               SequenceExamples& out) const;

 private:
  SequenceParser() = default;

  std::vector<FeatureSpec> context_;
  std::vector<FeatureSpec> lists_;
  ExampleOptions options_;
  std::shared_ptr<const FeatureNames> context_names_;
  std::shared_ptr<const FeatureNames> list_names_;
};

}  // namespace penstock
