#include "tools/programs/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/programs/program.h"

namespace penstock {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ProgressTest, TellsRateAndTimeLeft) {
  // 256 MiB of 1 GiB in 2 s: 128 MiB/s, 6 s left.
  const std::string text =
      ProgressText(256ull << 20, 1ull << 30, 1234567, 2.0, /*bar=*/false);
  EXPECT_EQ(text, " 25% 256.00 MiB 128.00 MiB/s, 1,234,567 records, ETA 0:06");
}

TEST(ProgressTest, TheLastLineTellsHowLongItTook) {
  const std::string text = ProgressText(1 << 20, 1 << 20, 1, 3725, false);
  EXPECT_THAT(text, HasSubstr("100%"));
  EXPECT_THAT(text, HasSubstr("took 1:02:05"));
  EXPECT_THAT(text, Not(HasSubstr("ETA")));
}

TEST(ProgressTest, UnderAMinuteTenthsAreTold) {
  EXPECT_THAT(ProgressText(8, 8, 1, 0.34, false), HasSubstr("took 0.3 s"));
  EXPECT_THAT(ProgressText(8, 8, 1, 59.94, false), HasSubstr("took 59.9 s"));
  EXPECT_THAT(ProgressText(8, 8, 1, 59.96, false), HasSubstr("took 1:00"));
}

TEST(ProgressTest, TheBarIsAsLongAsThePartThatIsDone) {
  EXPECT_THAT(ProgressText(50, 100, 1, 1.0, true),
              HasSubstr("[============            ]"));
}

TEST(ProgressTest, TokensAreNoBytes) {
  EXPECT_EQ(ProgressText(2048, 8192, 0, 2.0, false, ProgressUnit::kTokens),
            " 25% 2,048 tokens, 1,024/s, ETA 0:06");
}

TEST(ProgressTest, NothingToDoIsDone) {
  EXPECT_THAT(ProgressText(0, 0, 0, 0.0, true), HasSubstr("100%"));
}

TEST(ProgressTest, AClockThatStepsBackTellsNoTimeLeftAndNoNonsense) {
  EXPECT_EQ(ProgressText(512, 1024, 3, -7200, false),
            " 50% 512 B 0 B/s, 3 records");
  EXPECT_EQ(ProgressText(1024, 1024, 3, -7200, false),
            "100% 1.00 KiB 0 B/s, 3 records, took 0.0 s");
}

TEST(ProgramTest, NumbersAreWrittenForPeople) {
  EXPECT_EQ(WithCommas(0), "0");
  EXPECT_EQ(WithCommas(999), "999");
  EXPECT_EQ(WithCommas(1000), "1,000");
  EXPECT_EQ(WithCommas(12345678), "12,345,678");
  EXPECT_EQ(HumanBytes(17), "17 B");
  EXPECT_EQ(HumanBytes(1536), "1.50 KiB");
}

}  // namespace
}  // namespace penstock
