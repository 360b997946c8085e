// How a call went: OK, or a code and the words for whoever must act on it.
//
// The names and meanings are those of absl::Status, so that a reader of either
// knows both; docs/decisions/0007 says why it is our own.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

#include "formats/files/status_code.h"

namespace penstock {

// Threads: as a std::string; copies share their words and may part ways.
// Cost:    two words; nothing is allocated for OK. Making one never throws:
//          where memory ends it keeps its code and loses its words.
class [[nodiscard]] Status {
 public:
  Status() = default;
  // The words are left out of a status that is OK.
  Status(StatusCode code, std::string_view message) noexcept;
  Status(const Status& other) noexcept
      : message_(other.message_), code_(other.code_) {
    if (message_ != nullptr) Share();
  }
  Status(Status&& other) noexcept
      : message_(std::exchange(other.message_, nullptr)), code_(other.code_) {}
  Status& operator=(Status other) noexcept {
    std::swap(message_, other.message_);
    code_ = other.code_;
    return *this;
  }
  ~Status() {
    if (message_ != nullptr) Release();
  }

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  // Lives as long as this status and its copies.
  std::string_view message() const;
  // "DATA_LOSS: what happened".
  std::string ToString() const;

  // For a call whose failure changes nothing.
  void IgnoreError() const {}
  // Keeps the first thing that went wrong.
  void Update(const Status& next) {
    if (ok()) *this = next;
  }

 private:
  struct Message;

  void Share() const noexcept;
  void Release() noexcept;

  Message* message_ = nullptr;
  StatusCode code_ = StatusCode::kOk;
};

bool operator==(const Status& a, const Status& b);
std::ostream& operator<<(std::ostream& out, const Status& status);

inline Status OkStatus() { return {}; }

inline Status CancelledError(std::string_view message) {
  return {StatusCode::kCancelled, message};
}
inline Status UnknownError(std::string_view message) {
  return {StatusCode::kUnknown, message};
}
inline Status InvalidArgumentError(std::string_view message) {
  return {StatusCode::kInvalidArgument, message};
}
inline Status DeadlineExceededError(std::string_view message) {
  return {StatusCode::kDeadlineExceeded, message};
}
inline Status NotFoundError(std::string_view message) {
  return {StatusCode::kNotFound, message};
}
inline Status AlreadyExistsError(std::string_view message) {
  return {StatusCode::kAlreadyExists, message};
}
inline Status ResourceExhaustedError(std::string_view message) {
  return {StatusCode::kResourceExhausted, message};
}
inline Status FailedPreconditionError(std::string_view message) {
  return {StatusCode::kFailedPrecondition, message};
}
inline Status OutOfRangeError(std::string_view message) {
  return {StatusCode::kOutOfRange, message};
}
inline Status UnimplementedError(std::string_view message) {
  return {StatusCode::kUnimplemented, message};
}
inline Status InternalError(std::string_view message) {
  return {StatusCode::kInternal, message};
}
inline Status UnavailableError(std::string_view message) {
  return {StatusCode::kUnavailable, message};
}
inline Status DataLossError(std::string_view message) {
  return {StatusCode::kDataLoss, message};
}

inline bool IsCancelled(const Status& status) {
  return status.code() == StatusCode::kCancelled;
}
inline bool IsInvalidArgument(const Status& status) {
  return status.code() == StatusCode::kInvalidArgument;
}
inline bool IsNotFound(const Status& status) {
  return status.code() == StatusCode::kNotFound;
}
inline bool IsResourceExhausted(const Status& status) {
  return status.code() == StatusCode::kResourceExhausted;
}
inline bool IsDataLoss(const Status& status) {
  return status.code() == StatusCode::kDataLoss;
}

// Returns `status` with "`context`: " put before its message; OK stays OK.
Status Annotate(const Status& status, std::string_view context);

}  // namespace penstock

#define PENSTOCK_RETURN_IF_ERROR(expr)                                        \
  do {                                                                        \
    if (::penstock::Status penstock_status = (expr); !penstock_status.ok()) { \
      return penstock_status;                                                 \
    }                                                                         \
  } while (false)
