#include "pipeline/arrange/balance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pipeline/order/seed.h"

namespace penstock {
namespace {

using ::testing::ElementsAre;

// Rows of pieces of these lengths; records are numbered row by row.
Assignment RowsOfPieces(const std::vector<std::vector<uint32_t>>& rows) {
  Assignment assignment;
  assignment.row_offsets = {0};
  for (const auto& row : rows) {
    for (const uint32_t length : row) {
      assignment.pieces.push_back(
          {.record = assignment.pieces.size(), .length = length});
    }
    assignment.row_offsets.push_back(
        static_cast<uint32_t>(assignment.pieces.size()));
    if (!row.empty()) ++assignment.real_rows;
  }
  return assignment;
}

std::vector<uint64_t> RecordsOfRows(const Assignment& assignment) {
  std::vector<uint64_t> records;
  for (const Piece& piece : assignment.pieces) records.push_back(piece.record);
  return records;
}

TEST(BalanceTest, DearRowsGoToDifferentParts) {
  Assignment assignment = RowsOfPieces({{8}, {8}, {1}, {2}});
  const BalanceRule rule = {.parts = 2};
  EXPECT_DOUBLE_EQ(DearestPart(rule, assignment), 16 / 9.5);
  BalanceRows(rule, assignment);
  EXPECT_THAT(RecordsOfRows(assignment), ElementsAre(0, 3, 1, 2));
  EXPECT_DOUBLE_EQ(DearestPart(rule, assignment), 10 / 9.5);
}

// Rows of one length cost by what is in them: one record of 8 values pays for
// 64 pairs, eight of 1 for 8.
TEST(BalanceTest, TheSquareOfEachRecordCounts) {
  Assignment assignment =
      RowsOfPieces({{8}, {8}, {4, 4}, {1, 1, 1, 1, 1, 1, 1, 1}});
  const BalanceRule rule = {.parts = 2, .linear = 0, .quadratic = 1};
  BalanceRows(rule, assignment);
  EXPECT_EQ(assignment.row_offsets[1], 1u);  // a row of 8 leads each part
  EXPECT_EQ(assignment.pieces[assignment.row_offsets[2]].length, 8u);
  EXPECT_DOUBLE_EQ(DearestPart(rule, assignment), 96.0 / 84);
}

// Batches that a saved state goes on with must have their rows where they were:
// by the definition, with a look at every row and part for each.
TEST(BalanceTest, PlacesAreThoseOfTheDefinitionAlsoWhereCostsAreEqual) {
  for (uint64_t run = 0; run < 200; ++run) {
    const auto draw = [&](uint64_t what, uint64_t below) {
      return MixKeys({run, what}) % below;
    };
    const BalanceRule rule = {.parts = 1 + draw(0, 20)};
    std::vector<std::vector<uint32_t>> rows(rule.parts * (1 + draw(1, 6)));
    std::vector<double> left(rows.size());  // costs of rows not yet dealt
    for (size_t row = 0; row < rows.size(); ++row) {
      // Few lengths, so that many are equal; no piece is a row of padding.
      const auto length = static_cast<uint32_t>(draw(2 + row, 5));
      if (length > 0) rows[row].push_back(length);
      left[row] = length;
    }
    std::vector<double> cost(rule.parts);
    std::vector<std::vector<size_t>> dealt(rule.parts);
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto row =
          static_cast<size_t>(std::ranges::max_element(left) - left.begin());
      size_t part = rule.parts;  // the first of the cheapest with room
      for (size_t p = 0; p < rule.parts; ++p) {
        if (dealt[p].size() == rows.size() / rule.parts) continue;
        if (part == rule.parts || cost[p] < cost[part]) part = p;
      }
      cost[part] += left[row];
      dealt[part].push_back(row);
      left[row] = -1;
    }
    const Assignment before = RowsOfPieces(rows);
    std::vector<uint64_t> expected;  // records of rows that have one
    for (std::vector<size_t>& of_part : dealt) {
      std::ranges::sort(of_part);
      for (const size_t row : of_part) {
        if (!rows[row].empty()) expected.push_back(before.row_offsets[row]);
      }
    }
    Assignment after = before;
    BalanceRows(rule, after);
    ASSERT_EQ(RecordsOfRows(after), expected) << "run " << run;
  }
}

TEST(BalanceTest, RowsStayWholeAndPartsEqual) {
  std::vector<std::vector<uint32_t>> rows(96);
  for (uint64_t row = 0; row < 90; ++row) {
    for (uint64_t i = 0; i <= row % 7; ++i) {
      rows[row].push_back(static_cast<uint32_t>(MixKeys({row, i}) % 100));
    }
  }
  const Assignment before = RowsOfPieces(rows);
  const BalanceRule rule = {.parts = 12, .linear = 1, .quadratic = 0.1};
  Assignment after = before;
  BalanceRows(rule, after);
  EXPECT_EQ(after.real_rows, before.real_rows);
  ASSERT_EQ(after.row_offsets.size(), before.row_offsets.size());
  const auto rows_of = [](const Assignment& assignment) {
    std::vector<std::vector<uint64_t>> rows;
    for (size_t row = 0; row + 1 < assignment.row_offsets.size(); ++row) {
      auto& records = rows.emplace_back();
      for (uint32_t i = assignment.row_offsets[row];
           i < assignment.row_offsets[row + 1]; ++i) {
        records.push_back(assignment.pieces[i].record);
      }
    }
    std::ranges::sort(rows);
    return rows;
  };
  EXPECT_EQ(rows_of(after), rows_of(before));
  EXPECT_LT(DearestPart(rule, after), 1.03);
  EXPECT_GT(DearestPart(rule, before), 1.3);
  // Also on fewer devices.
  for (const uint64_t parts : {2, 3, 4, 6}) {
    EXPECT_LT(
        DearestPart({.parts = parts, .linear = 1, .quadratic = 0.1}, after),
        1.03);
  }
}

}  // namespace
}  // namespace penstock
