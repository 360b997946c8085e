// Protobuf's opinion on the bytes of an Example, against ours.
#pragma once

#include <string>
#include <string_view>

namespace penstock::testing {

// What ExampleParser and protobuf disagree on: whether `record` is an Example,
// the type of a feature, or a value. Empty where they agree.
std::string Disagreement(std::string_view record);

}  // namespace penstock::testing
