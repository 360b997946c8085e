// tf.train.Examples out of JSON: the way back from example_json.h.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "formats/files/status_or.h"

namespace penstock {

// A serialized Example of features as ExampleToJson() gives them. Values that
// are all whole numbers without a point are int64, other numbers float; an
// empty list is one of int64.
// Errors:  kInvalidArgument naming the feature.
StatusOr<std::string> ExampleFromJson(const nlohmann::json& features);

// The same for SequenceExampleToJson().
StatusOr<std::string> SequenceExampleFromJson(const nlohmann::json& features);

}  // namespace penstock
