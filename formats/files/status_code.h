// What kind of failure, for whoever must act on it.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace penstock {

// The numbers are those of gRPC and of absl::StatusCode.
enum class StatusCode : uint8_t {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
};

// "DATA_LOSS"; "OK".
std::string_view StatusCodeName(StatusCode code);

std::ostream& operator<<(std::ostream& out, StatusCode code);

}  // namespace penstock
