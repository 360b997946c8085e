// Words for a record that is no Example.
#pragma once

#include <optional>
#include <string_view>

#include "formats/files/status.h"
#include "formats/wire/wire_format.h"

namespace penstock {

// kDataLoss: the feature, what is wrong and at which byte; nothing of what the
// record holds. `message` is what the record should be: "tf.train.Example".
Status DefectStatus(const WireDefect& defect,
                    std::optional<std::string_view> feature,
                    std::string_view record, std::string_view message);

// Errors:  kResourceExhausted for a record over 2 GiB, protobuf's limit.
Status CheckRecordSize(std::string_view record);

}  // namespace penstock
