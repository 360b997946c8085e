#include "formats/example/example_defect.h"

#include <fmt/format.h>

#include <climits>
#include <string>

#include "formats/files/quoted.h"

namespace penstock {

Status DefectStatus(const WireDefect& defect,
                    std::optional<std::string_view> feature,
                    std::string_view record, std::string_view message) {
  return DataLossError(fmt::format(
      "{}{} at byte {} of {}; {}",
      feature ? fmt::format("feature {}: ", Quoted(*feature)) : "", defect.what,
      defect.at - record.data(), record.size(),
      defect.ambiguous
          ? "protobuf and TensorFlow read it differently (strict mode)"
          : fmt::format("the record is no {}", message)));
}

Status CheckRecordSize(std::string_view record) {
  if (record.size() <= INT_MAX) return OkStatus();
  return ResourceExhaustedError(
      fmt::format("the record has {} bytes; an Example can have {}",
                  record.size(), INT_MAX));
}

}  // namespace penstock
