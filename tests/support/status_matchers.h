// Matchers that say what a call should have returned.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock::testing {

inline constexpr auto kInvalid = StatusCode::kInvalidArgument;
inline constexpr auto kDataLoss = StatusCode::kDataLoss;
inline constexpr auto kUnimplemented = StatusCode::kUnimplemented;
inline constexpr auto kExhausted = StatusCode::kResourceExhausted;

inline const Status& StatusOf(const Status& status) { return status; }
template <typename T>
const Status& StatusOf(const StatusOr<T>& value) {
  return value.status();
}

// Of a Status or StatusOr. No templates but one: a thousand calls compile it.
class StatusMatcher {
 public:
  using is_gtest_matcher = void;

  StatusMatcher(StatusCode code, ::testing::Matcher<std::string> message)
      : code_(code), message_(std::move(message)) {}

  template <typename T>
  bool MatchAndExplain(const T& value,
                       ::testing::MatchResultListener* listener) const {
    return Explain(StatusOf(value), listener);
  }
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  bool Explain(const Status& status,
               ::testing::MatchResultListener* listener) const;

  StatusCode code_;
  ::testing::Matcher<std::string> message_;
};

// EXPECT_THAT(call, StatusIs(StatusCode::kDataLoss, HasSubstr("at 12")));
inline StatusMatcher StatusIs(StatusCode code,
                              ::testing::Matcher<std::string> message) {
  return {code, std::move(message)};
}
inline StatusMatcher IsOk() { return {StatusCode::kOk, ::testing::_}; }

// Says the status where it is not OK.
::testing::AssertionResult Succeeded(const Status& status);

}  // namespace penstock::testing

#define PENSTOCK_TEST_CONCAT_INNER(a, b) a##b
#define PENSTOCK_TEST_CONCAT(a, b) PENSTOCK_TEST_CONCAT_INNER(a, b)
#define ASSERT_OK_AND_ASSIGN(lhs, expr)                                     \
  ASSERT_OK_AND_ASSIGN_INNER(PENSTOCK_TEST_CONCAT(test_or_, __LINE__), lhs, \
                             expr)
#define ASSERT_OK_AND_ASSIGN_INNER(var, lhs, expr) \
  auto var = (expr);                               \
  ASSERT_OK(var);                                  \
  lhs = *std::move(var)
#define ASSERT_OK(expr) \
  ASSERT_TRUE(          \
      ::penstock::testing::Succeeded(::penstock::testing::StatusOf(expr)))
#define EXPECT_OK(expr) \
  EXPECT_TRUE(          \
      ::penstock::testing::Succeeded(::penstock::testing::StatusOf(expr)))
