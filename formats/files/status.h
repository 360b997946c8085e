// The two macros and the one function that carry absl::Status upwards.
//
// Debian's Abseil has its own string_view, so messages are built as
// std::string (fmt::format) and passed on.
#pragma once

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace penstock {

// Returns `status` with "`context`: " put before its message; OK stays OK.
absl::Status Annotate(const absl::Status& status, std::string_view context);

}  // namespace penstock

#define PENSTOCK_RETURN_IF_ERROR(expr)                                  \
  do {                                                                  \
    if (absl::Status penstock_status = (expr); !penstock_status.ok()) { \
      return penstock_status;                                           \
    }                                                                   \
  } while (false)

#define PENSTOCK_CONCAT_INNER(a, b) a##b
#define PENSTOCK_CONCAT(a, b) PENSTOCK_CONCAT_INNER(a, b)
#define PENSTOCK_ASSIGN_OR_RETURN(lhs, expr)                               \
  PENSTOCK_ASSIGN_OR_RETURN_INNER(PENSTOCK_CONCAT(penstock_or_, __LINE__), \
                                  lhs, expr)
#define PENSTOCK_ASSIGN_OR_RETURN_INNER(var, lhs, expr) \
  auto var = (expr);                                    \
  if (!var.ok()) return std::move(var).status();        \
  lhs = *std::move(var)
