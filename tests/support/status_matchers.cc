#include "tests/support/status_matchers.h"

namespace penstock::testing {

void StatusMatcher::DescribeTo(std::ostream* out) const {
  *out << "has code " << StatusCodeName(code_) << " and its message ";
  message_.DescribeTo(out);
}

void StatusMatcher::DescribeNegationTo(std::ostream* out) const {
  *out << "has not code " << StatusCodeName(code_) << " or its message ";
  message_.DescribeNegationTo(out);
}

bool StatusMatcher::Explain(const Status& status,
                            ::testing::MatchResultListener* listener) const {
  *listener << status.ToString();
  return status.code() == code_ &&
         message_.MatchAndExplain(std::string(status.message()), listener);
}

::testing::AssertionResult Succeeded(const Status& status) {
  if (status.ok()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << status.ToString();
}

}  // namespace penstock::testing
