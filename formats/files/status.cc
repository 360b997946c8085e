#include "formats/files/status.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <ostream>

namespace penstock {

// The words follow it in the same allocation.
struct Status::Message {
  std::atomic<uint32_t> owners;
  size_t size;

  char* words() { return reinterpret_cast<char*>(this + 1); }
};

std::string_view StatusCodeName(StatusCode code) {
  static constexpr std::array<std::string_view, 16> kNames = {
      "OK",
      "CANCELLED",
      "UNKNOWN",
      "INVALID_ARGUMENT",
      "DEADLINE_EXCEEDED",
      "NOT_FOUND",
      "ALREADY_EXISTS",
      "PERMISSION_DENIED",
      "RESOURCE_EXHAUSTED",
      "FAILED_PRECONDITION",
      "ABORTED",
      "OUT_OF_RANGE",
      "UNIMPLEMENTED",
      "INTERNAL",
      "UNAVAILABLE",
      "DATA_LOSS"};
  return kNames[static_cast<size_t>(code)];
}

Status::Status(StatusCode code, std::string_view message) noexcept
    : code_(code) {
  if (code == StatusCode::kOk || message.empty()) return;
  void* memory = ::operator new(sizeof(Message) + message.size(), std::nothrow);
  if (memory == nullptr) return;
  message_ = new (memory) Message{{1}, message.size()};
  std::memcpy(message_->words(), message.data(), message.size());
}

std::string_view Status::message() const {
  if (message_ == nullptr) return {};
  return {message_->words(), message_->size};
}

std::string Status::ToString() const {
  std::string text(StatusCodeName(code_));
  if (message_ != nullptr) text.append(": ").append(message());
  return text;
}

void Status::Share() const noexcept {
  message_->owners.fetch_add(1, std::memory_order_relaxed);
}

void Status::Release() noexcept {
  // The last owner must see what the others did with it.
  if (message_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    message_->~Message();
    ::operator delete(message_);
  }
}

bool operator==(const Status& a, const Status& b) {
  return a.code() == b.code() && a.message() == b.message();
}

std::ostream& operator<<(std::ostream& out, const Status& status) {
  return out << status.ToString();
}

std::ostream& operator<<(std::ostream& out, StatusCode code) {
  return out << StatusCodeName(code);
}

Status Annotate(const Status& status, std::string_view context) {
  if (status.ok()) return status;
  std::string message(context);
  message.append(": ").append(status.message());
  return {status.code(), message};
}

}  // namespace penstock
