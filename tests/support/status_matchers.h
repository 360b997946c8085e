// Matchers that say what a call should have returned.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock::testing {

inline const Status& StatusOf(const Status& status) { return status; }
template <typename T>
const Status& StatusOf(const StatusOr<T>& value) {
  return value.status();
}

MATCHER(IsOk, "is OK") {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).ok();
}

// EXPECT_THAT(call, StatusIs(StatusCode::kDataLoss, HasSubstr("at 12")));
MATCHER_P2(StatusIs, code, message,
           (negation ? "has not code " : "has code ") +
               std::string(StatusCodeName(code)) + " and its message " +
               ::testing::DescribeMatcher<std::string>(message, negation)) {
  const Status& status = StatusOf(arg);
  *result_listener << status.ToString();
  return status.code() == code &&
         ::testing::ExplainMatchResult(message, std::string(status.message()),
                                       result_listener);
}

}  // namespace penstock::testing

#define PENSTOCK_TEST_CONCAT_INNER(a, b) a##b
#define PENSTOCK_TEST_CONCAT(a, b) PENSTOCK_TEST_CONCAT_INNER(a, b)
#define ASSERT_OK_AND_ASSIGN(lhs, expr)                                     \
  ASSERT_OK_AND_ASSIGN_INNER(PENSTOCK_TEST_CONCAT(test_or_, __LINE__), lhs, \
                             expr)
#define ASSERT_OK_AND_ASSIGN_INNER(var, lhs, expr) \
  auto var = (expr);                               \
  ASSERT_THAT(var, ::penstock::testing::IsOk());   \
  lhs = *std::move(var)
#define ASSERT_OK(expr) ASSERT_THAT((expr), ::penstock::testing::IsOk())
#define EXPECT_OK(expr) EXPECT_THAT((expr), ::penstock::testing::IsOk())
