#include "formats/example/row_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "formats/example/example_writer.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

TEST(RowSummarizerTest, ARecordBehindABadOneIsCountedByItself) {
  ExampleWriter writer;
  writer.SetBytes("text", "\xff");
  std::string bad;
  writer.Finish(bad);
  bad += "\x0a\x7f";  // features that are cut off
  writer.SetBytes("text", "four");
  std::string good;
  writer.Finish(good);
  RowSummarizer summarizer;
  ASSERT_OK(summarizer.Summarize(good));
  EXPECT_THAT(
      summarizer.Summarize(bad),
      StatusIs(StatusCode::kDataLoss, ::testing::HasSubstr("past the end")));
  ASSERT_OK_AND_ASSIGN(const auto row, summarizer.Summarize(good));
  ASSERT_EQ(row.size(), 1u);
  EXPECT_EQ(row[0].values, 1u);
  EXPECT_EQ(row[0].bytes, 4u);
  EXPECT_TRUE(row[0].is_utf8);
}

}  // namespace
}  // namespace penstock::testing
