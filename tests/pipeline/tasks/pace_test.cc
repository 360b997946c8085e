#include "pipeline/tasks/pace.h"

#include <gtest/gtest.h>

#include <limits>

namespace penstock {
namespace {

TEST(PaceTest, IsQuickWhereOneComesSoonBehindAnother) {
  Pace pace(std::numeric_limits<int64_t>::max());
  EXPECT_FALSE(pace.quick());  // none is there
  pace.Count();
  pace.Count();
  EXPECT_TRUE(pace.quick());
}

TEST(PaceTest, IsNotQuickAtTheFirstNorBehindAPause) {
  Pace pace;
  pace.Count();
  EXPECT_FALSE(pace.quick());
  const int64_t then_ns = SteadyNs();
  while (SteadyNs() - then_ns < Pace::kQuickNs) {
  }
  pace.Count();
  EXPECT_FALSE(pace.quick());
}

}  // namespace
}  // namespace penstock
