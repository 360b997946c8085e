// Protobuf's opinion on the bytes of a SequenceExample, against ours.
#pragma once

#include <string>
#include <string_view>

namespace penstock::testing {

// What SequenceParser and protobuf disagree on: whether `record` is one, the
// steps of a list, or a value. Empty where they agree.
std::string SequenceDisagreement(std::string_view record);

}  // namespace penstock::testing
