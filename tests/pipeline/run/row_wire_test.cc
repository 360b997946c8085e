#include "pipeline/run/row_wire.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

Examples OneRow(const std::vector<int64_t>& values, bool narrow) {
  Examples row;
  Column& column = row.columns.emplace_back();
  column.type = FeatureType::kInt64;
  column.narrow = narrow;
  if (narrow) {
    column.narrow_ints.assign(values.begin(), values.end());
  } else {
    column.ints = values;
  }
  column.EndRow();
  row.rows = 1;
  return row;
}

// So hosts need not agree on how each of them keeps a row.
TEST(RowWireTest, NarrowRowsTravelAsWideOnesOfTheSameValues) {
  const std::vector<int64_t> values = {INT32_MIN, -1, 0, 300, INT32_MAX};
  for (const size_t begin : {0, 2, 5, 9}) {
    for (const size_t count : {0, 2, 5}) {
      std::string narrow;
      WriteRow(OneRow(values, true), 0, begin, count, narrow);
      std::string wide;
      WriteRow(OneRow(values, false), 0, begin, count, wide);
      EXPECT_EQ(narrow, wide) << begin << " " << count;
    }
  }
}

TEST(RowWireTest, WhatIsWrittenIsRead) {
  const std::vector<int64_t> values = {5, -6, INT32_MAX};
  const Examples row = OneRow(values, true);
  std::string bytes;
  WriteRow(row, 0, 0, values.size(), bytes);
  std::string_view left = bytes;
  Examples read;
  ASSERT_OK(ReadRow(row, left, read));
  EXPECT_TRUE(left.empty());
  ASSERT_EQ(read.rows, 1u);
  EXPECT_EQ(read.columns[0].ints, values);
}

}  // namespace
}  // namespace penstock::testing
