#include "pipeline/build/append_row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <tuple>
#include <vector>

namespace penstock::testing {
namespace {

using ::testing::ElementsAre;

// One column with a row of integers for each.
Examples Rows(bool narrow, const std::vector<std::vector<int64_t>>& rows) {
  Examples made;
  Column& column = made.columns.emplace_back();
  column.type = FeatureType::kInt64;
  column.narrow = narrow;
  for (const std::vector<int64_t>& row : rows) {
    if (narrow) {
      column.narrow_ints.insert(column.narrow_ints.end(), row.begin(),
                                row.end());
    } else {
      column.ints.insert(column.ints.end(), row.begin(), row.end());
    }
    column.EndRow();
  }
  made.rows = rows.size();
  return made;
}

TEST(AppendRowTest, NarrowRowsStayNarrowAmongThemselves) {
  Examples to;
  const Examples from = Rows(true, {{1, 2}, {}, {INT32_MIN, INT32_MAX}});
  for (size_t row = 0; row < from.rows; ++row) AppendRow(from, row, to);
  ASSERT_TRUE(to.columns[0].narrow);
  EXPECT_EQ(to.rows, 3u);
  EXPECT_TRUE(to.columns[0].ints.empty());
  EXPECT_THAT(to.columns[0].narrow_ints_of(0), ElementsAre(1, 2));
  EXPECT_THAT(to.columns[0].narrow_ints_of(1), ElementsAre());
  EXPECT_THAT(to.columns[0].narrow_ints_of(2),
              ElementsAre(INT32_MIN, INT32_MAX));
}

// All values of a kind of column, whether narrow or not.
TEST(AppendRowTest, RowsWhoseMemoryIsReservedDoNotMove) {
  for (const bool narrow : {false, true}) {
    const Examples ints = Rows(narrow, {{1, 2}, {}, {3, 4, 5}});
    Examples from = ints;
    Column& texts = from.columns.emplace_back();
    for (const char* const text :
         {"", "some", "text of more than a few bytes"}) {
      texts.bytes += text;
      texts.byte_offsets.push_back(texts.bytes.size());
      texts.EndRow();
    }
    Column& floats = from.columns.emplace_back();
    floats.type = FeatureType::kFloat;
    for (int row = 0; row < 3; ++row) {
      floats.floats.insert(floats.floats.end(), 40, 0.5f);
      floats.EndRow();
    }
    const RowRef rows[] = {{&from, 2}, {&from, 0}, {&from, 2}};
    Examples to;
    ReserveRows(rows, to);
    const auto memory = [&] {
      return std::tuple(
          to.columns[0].ints.data(), to.columns[0].narrow_ints.data(),
          to.columns[0].row_offsets.data(), to.columns[1].bytes.data(),
          to.columns[1].byte_offsets.data(), to.columns[2].floats.data());
    };
    const auto reserved = memory();
    for (const RowRef& row : rows) AppendRow(*row.examples, row.row, to);
    EXPECT_EQ(memory(), reserved);
    EXPECT_EQ(to.columns[0].int_of(2, 2), 5);
    EXPECT_EQ(to.columns[1].bytes_at(1), "");
    EXPECT_EQ(to.columns[2].floats_of(2).back(), 0.5f);
  }
}

TEST(AppendRowTest, WideRowsAmongNarrowOnesKeepAllValues) {
  constexpr int64_t kWide = int64_t{1} << 40;
  const Examples narrow = Rows(true, {{1, -2}});
  const Examples wide = Rows(false, {{kWide}});
  Examples to;
  AppendRow(narrow, 0, to);
  AppendRow(wide, 0, to);
  AppendRow(narrow, 0, to);
  const Column& column = to.columns[0];
  ASSERT_FALSE(column.narrow);
  EXPECT_THAT(column.ints_of(0), ElementsAre(1, -2));
  EXPECT_THAT(column.ints_of(1), ElementsAre(kWide));
  EXPECT_THAT(column.ints_of(2), ElementsAre(1, -2));
}

TEST(AppendRowTest, EndsOfNarrowRowsAreKept) {
  for (const bool backs : {false, true}) {
    Examples rows = Rows(true, {{1, 2, 3}, {4}, {5, 6, 7, 8}});
    Column& column = rows.columns[0];
    KeepEnds(1, 2, backs, column);
    EXPECT_THAT(column.narrow_ints_of(0), ElementsAre(1, 2, 3));
    EXPECT_THAT(column.narrow_ints_of(1), ElementsAre(4));
    EXPECT_THAT(column.narrow_ints_of(2),
                backs ? ElementsAre(7, 8) : ElementsAre(5, 6));
    EXPECT_EQ(column.values(), 6u);
  }
}

}  // namespace
}  // namespace penstock::testing
