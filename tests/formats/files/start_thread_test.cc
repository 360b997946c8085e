#include "formats/files/start_thread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/support/scarce_threads.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ScarceThreads;
using testing::StatusIs;

TEST(StartThreadTest, TheWorkIsDoneWhenTheThreadHasEnded) {
  std::atomic<int> done = 0;
  {
    ASSERT_OK_AND_ASSIGN(const auto thread, StartThread([&] { ++done; }));
  }
  EXPECT_EQ(done, 1);
}

TEST(StartThreadTest, ARefusedThreadIsOneClearLine) {
  std::atomic<int> done = 0;
  {
    const ScarceThreads one(1);
    ASSERT_OK_AND_ASSIGN(const auto thread, StartThread([&] { ++done; }));
    EXPECT_THAT(StartThread([&] { ++done; }),
                StatusIs(StatusCode::kResourceExhausted,
                         AllOf(HasSubstr("no thread can be started: Resource "
                                         "temporarily unavailable"),
                               HasSubstr("ulimit -u"), Not(HasSubstr("\n")))));
  }
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace penstock
