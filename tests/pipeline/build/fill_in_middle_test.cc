// Pieces that are cut in three and rearranged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/build/fill_in_middle.h"
#include "tests/pipeline/build/learned.h"

namespace penstock::testing {
namespace {

constexpr int32_t kPre = 1;
constexpr int32_t kMid = 2;
constexpr int32_t kSuf = 3;

TEST(FillInMiddleTest, PiecesAreRearrangedAsThePaperSays) {
  const FillInMiddle options = {
      .seed = 3, .prefix_id = kPre, .middle_id = kMid, .suffix_id = kSuf};
  constexpr size_t kRecords = 2000;
  constexpr size_t kLength = 40;
  const auto records = Records(kRecords, kLength);
  PlacedRows rows(Learn(options, kLength + 1), records);
  rows.AddRecords(kRecords);
  rows.Placed();
  const FillInMiddleWriter writer(options, 1);
  int64_t plain = 0;
  int64_t too_short = 0;
  int64_t spm = 0;
  for (size_t r = 0; r < kRecords; ++r) {
    const MiddleCut cut = writer.CutOf(r, 0, 0, kLength);
    const std::vector<int64_t>& was = records[r];
    std::vector<int32_t> expected;
    const auto part = [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        expected.push_back(static_cast<int32_t>(was[i]));
      }
    };
    if (!cut.rearranged) {
      part(0, kLength);
      if (cut.second == 0) {
        ++plain;
      } else {
        ++too_short;
      }
    } else if (cut.suffix_first) {
      expected = {kPre, kSuf};
      part(cut.second, kLength - 3);
      expected.push_back(kMid);
      part(0, cut.second);
      ++spm;
    } else {
      expected = {kPre};
      part(0, cut.first);
      expected.push_back(kSuf);
      part(cut.second, kLength - 3);
      expected.push_back(kMid);
      part(cut.first, cut.second);
    }
    expected.push_back(0);
    ASSERT_EQ(rows.Row<int32_t>("tokens", r), expected);
    // What follows the last token is no continuation, rearranged or not.
    std::vector<int32_t> labels(expected.begin() + 1, expected.end());
    labels.back() = -100;
    labels.push_back(-100);
    ASSERT_EQ(rows.Row<int32_t>("tokens_labels", r), labels);
  }
  ExpectPart(plain, kRecords, 0.5);
  // The larger of two numbers up to 40 is above 36.
  ExpectPart(too_short, kRecords, 0.5 * (1 - 37.0 * 37 / (41 * 41)));
  ExpectPart(spm, kRecords - plain - too_short, 0.5);
}

}  // namespace
}  // namespace penstock::testing
