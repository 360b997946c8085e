// A value, or the reason why there is none.
#pragma once

#include <cstdlib>
#include <optional>
#include <type_traits>
#include <utility>

#include "formats/files/status.h"

namespace penstock {

// As absl::StatusOr: look at ok() before taking the value; taking it where
// there is none ends the process.
template <typename T>
class [[nodiscard]] StatusOr {
 public:
  using value_type = T;

  // kUnknown: a place for a value to come.
  StatusOr() : status_(UnknownError("")) {}

  // From a value, also of another type where T converts from it.
  template <typename U = T>
  requires(std::is_constructible_v<T, U&&> &&
           !std::is_same_v<std::remove_cvref_t<U>, StatusOr> &&
           !std::is_convertible_v<
               U&&, Status>) explicit(!std::is_convertible_v<U&&, T>)
      StatusOr(U&& value)
      : value_(std::in_place, std::forward<U>(value)) {}
  // From a reason. An OK status gives none: it becomes kInternal.
  StatusOr(Status status) : status_(std::move(status)) {
    if (status_.ok()) status_ = InternalError("an OK status without a value");
  }
  // From one of another type.
  template <typename U>
  requires(std::is_constructible_v<T, U&&> && !std::is_same_v<T, U>)
      StatusOr(StatusOr<U>&& other)
      : status_(other.status()) {
    if (other.ok()) value_.emplace(*std::move(other));
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const& { return status_; }
  Status status() && { return std::move(status_); }

  T& operator*() & { return Checked(), *value_; }
  const T& operator*() const& { return Checked(), *value_; }
  T&& operator*() && { return Checked(), *std::move(value_); }
  T* operator->() { return Checked(), &*value_; }
  const T* operator->() const { return Checked(), &*value_; }
  T& value() & { return **this; }
  const T& value() const& { return **this; }
  T&& value() && { return *std::move(*this); }
  template <typename U>
  T value_or(U&& other) const& {
    return ok() ? *value_ : static_cast<T>(std::forward<U>(other));
  }

 private:
  void Checked() const {
    if (!value_.has_value()) std::abort();
  }

  Status status_;
  std::optional<T> value_;
};

}  // namespace penstock

#define PENSTOCK_CONCAT_INNER(a, b) a##b
#define PENSTOCK_CONCAT(a, b) PENSTOCK_CONCAT_INNER(a, b)
#define PENSTOCK_ASSIGN_OR_RETURN(lhs, expr)                               \
  PENSTOCK_ASSIGN_OR_RETURN_INNER(PENSTOCK_CONCAT(penstock_or_, __LINE__), \
                                  lhs, expr)
#define PENSTOCK_ASSIGN_OR_RETURN_INNER(var, lhs, expr) \
  auto var = (expr);                                    \
  if (!var.ok()) return std::move(var).status();        \
  lhs = *std::move(var)
